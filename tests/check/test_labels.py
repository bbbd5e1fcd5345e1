"""Labels that a field takes, `@per`: each number says which it is for, and is converted to the first."""

from __future__ import annotations

import pytest

from llmplan.check.decorators import TABLE, Sort

NODE = "hardware { gpus = 64, gpus_per_node = 4 }\n"
GBIT = 1e9 / 8
HOUR = 3600.0

PRICE, NETWORK, FAILURES = "hardware.price", "hardware.internode_bandwidth", "hardware.mtbf"


@pytest.mark.parametrize(
    ("field", "said", "meant"),
    [
        (NETWORK, "100 Gbit/s/GPU", 100 * GBIT),
        (NETWORK, "100 Gbit/s/node", 25 * GBIT),
        ("hardware.intranode_bandwidth", "8 GB/s/node", 2e9),
        ("gpu.internode_bandwidth", "100 Gbit/s/node", 25 * GBIT),
        ("gpu.price", "1_440 USD/GPU/month", 2 / HOUR),
        ("gpu.price", "5_760 USD/node/month", 2 / HOUR),
        (PRICE, "8 USD/node/hour", 2 / HOUR),
        (PRICE, "128 USD/job/hour", 2 / HOUR),
        (PRICE, "0.5 USD/hour/node", 0.125 / HOUR),
        (FAILURES, "64 GPU*hours", 64 * HOUR),
        (FAILURES, "64 node*hour", 256 * HOUR),
        (FAILURES, "4 job*hour", 256 * HOUR),
        # wherever a count's unit would reach it
        (NETWORK, "(100 Gbit/s/node)", 25 * GBIT),
        (NETWORK, "if hardware.gpus > 8 then 100 Gbit/s/node else 400 Gbit/s/GPU", 25 * GBIT),
        (NETWORK, "min(100 Gbit/s/node, 400 Gbit/s/GPU)", 25 * GBIT),
        (NETWORK, "100 Gbit/s/node + 5 Gbit/s/GPU", 30 * GBIT),
        (NETWORK, "match hardware.gpus { 64 => 100 Gbit/s/node, _ => 1 Gbit/s/GPU }", 25 * GBIT),
        # products and quotients have the labels of their factors, and of none count as they are
        (PRICE, "0.5 * 16 USD/node/hour", 2 / HOUR),
        (PRICE, "16 USD/node/hour * 50%", 2 / HOUR),
        (PRICE, "8 USD/hour / 4 GPUs", 2 / HOUR),
        (PRICE, "70_080 USD / (4 GPUs * 1 year)", 2 / HOUR),
        (PRICE, "0.4 kW * 5 USD/kWh", 2 / HOUR),
        (PRICE, "0 USD/hour", 0.0),
        (PRICE, "0", 0.0),
    ],
)
def test_a_number_is_for_what_its_label_says(plans, field, said, meant):
    assert plans.value(field, f"{NODE}{field} = {said}") == pytest.approx(meant)


@pytest.mark.parametrize(
    ("field", "said", "wrong"),
    [
        (NETWORK, "100 Gbit/s", "100 Gbit/s"),
        (PRICE, "98.32 USD/hour", "98.32 USD/hour"),
        (PRICE, "700 USD/month", "700 USD/month"),
        (FAILURES, "4 hours", "4 hours"),
        (NETWORK, "100 Gbit/s/sequence", "100 Gbit/s/sequence"),
        (NETWORK, "if hardware.gpus > 8 then 100 Gbit/s else 1 Gbit/s/GPU", "100 Gbit/s"),
        (NETWORK, "max(100 Gbit/s, 1 Gbit/s/GPU)", "100 Gbit/s"),
        (NETWORK, "1 Gbit/s/node + 100 Gbit/s", "100 Gbit/s"),
        (PRICE, "2 USD/GPU/hour..3 USD/hour", "3 USD/hour"),
        (PRICE, "2 USD/hour..3 USD/GPU/hour", "2 USD/hour"),
        (PRICE, "? in [1 USD/GPU/hour, 2 USD/hour]", "2 USD/hour"),
        (PRICE, "? in 1 USD/GPU/hour .. 2 USD/hour", "2 USD/hour"),
        (PRICE, "0.9 * 98.32 USD/hour", "98.32 USD/hour"),
        (PRICE, "98.32 USD/hour / 8", "98.32 USD/hour"),
        (PRICE, "1.2 * (0.9 * (98.32 USD/hour))", "98.32 USD/hour"),
    ],
)
def test_a_number_without_a_label_is_an_error(plans, field, said, wrong):
    assert plans.error(f"{NODE}{field} = {said}") == ("E0311", wrong)
    assert plans.error(NODE, settings=[(field, said)]) == ("E0311", wrong)


def test_a_let_has_a_label_and_each_use_converts_it(plans):
    text = NODE + (
        "let network = 100 Gbit/s/node\nlet discounted = 0.5 * 16 USD/node/hour\n"
        "hardware.internode_bandwidth = network\ngpu.internode_bandwidth = network\nhardware.price = discounted\n"
        "show hardware.internode_bandwidth\nshow gpu.internode_bandwidth\nshow hardware.price\nshow network\n"
    )
    assert plans.shown(text) == pytest.approx([25 * GBIT, 25 * GBIT, 2 / HOUR, 100 * GBIT])
    assert plans.codes(text, settings=[("network", "50 Gbit/s/node")]) == []
    assert plans.error(text, settings=[("network", "50 Gbit/s")]) == ("E0311", "50 Gbit/s")
    assert plans.error(text, settings=[("network", "50 Gbit/s/GPU")]) == ("E0311", "50 Gbit/s/GPU")


@pytest.mark.parametrize(
    "lets",
    [
        "let x = 20 USD/hour",
        "let y = 20 USD/hour\nlet x = y",
        "let y = 20 USD/hour\nlet x = 0.9 * y",
        "let x = ? in [20 USD/hour, 20 USD/hour]",
        "let x = 20 USD/hour..30 USD/GPU/hour",
    ],
)
def test_a_let_of_a_field_says_its_label(plans, lets):
    assert "E0311" in plans.codes(f"{NODE}{lets}\nhardware.price = x")
    assert plans.codes(f"{NODE}{lets.replace('USD/hour', 'USD/node/hour').replace('USD/GPU/', 'USD/node/')}\n"
                       "hardware.price = x") == []  # fmt: skip


def test_a_let_is_asked_for_its_label_where_another_let_reads_it_too(plans):
    text = (
        f"{NODE}let dearer = hardware.price + surcharge\nlet surcharge = 1 USD/hour\nhardware.price = 2 USD/GPU/hour\n"
    )
    assert plans.error(text + "show dearer") == ("E0311", "1 USD/hour")


def test_a_let_of_a_used_file_says_its_label_too(plans):
    plans.write("team.plan", "let network = 100 Gbit/s")
    found = [d for d in plans.check('use "team.plan"\nhardware.internode_bandwidth = network') if d.severity == "error"]
    assert [(d.code, d.span.source.name.endswith("team.plan")) for d in found] == [("E0311", True)]


def test_a_let_called_as_the_field_is_not_taken_for_it(plans):
    text = "let price = 5 USD\nhardware { gpus = 8, price = 2 USD/GPU/hour }\nrequire hardware.price <= 3 USD/GPU/hour"
    assert plans.codes(text) == []


@pytest.mark.parametrize(
    "statement",
    [
        "require hardware.price <= 20 USD/hour",
        "require 20 USD/hour >= hardware.price",
        "require 1 USD/GPU/hour <= hardware.price <= 20 USD/hour",
        "require hardware.price in [2 USD/GPU/hour, 20 USD/hour]",
        "require hardware.price in 1 USD/GPU/hour .. 20 USD/hour",
        "require hardware.price + 20 USD/hour <= 30 USD/GPU/hour",
        "prefer hardware.price <= 20 USD/hour",
        "show chance(hardware.price <= 20 USD/hour)",
        'show (gpu.price["B200"] <= 20 USD/hour)',
        'scenario "other" { hardware.price = 20 USD/hour }',
        "sweep hardware.price in [2 USD/GPU/hour, 20 USD/hour]",
        'entry gpu "ours" like "B200" { price = 20 USD/hour }',
        'amend gpu "B200" { price = 20 USD/hour }',
        "gpu { price = 20 USD/hour }",
    ],
)
def test_labels_are_asked_for_wherever_a_number_meets_the_field(plans, statement):
    text = f'{NODE}hardware.gpu = "H100"\n{statement}'
    assert set(plans.codes(text)) == {"E0311"}
    assert plans.codes(text.replace("20 USD/hour", "20 USD/node/hour")) == []


def test_a_bound_per_node_is_compared_per_node(plans):
    text = f"{NODE}hardware.price = 5 USD/GPU/hour\nshow (hardware.price <= 20 USD/node/hour)\n"
    text += "show (hardware.price <= 19 USD/node/hour)"
    assert plans.shown(text) == [1.0, 0.0]


def test_each_label_is_an_edit_that_only_the_author_chooses(plans):
    (wrong,) = plans.check(f"{NODE}{PRICE} = 98.32 USD/hour")
    edits = [hint.edits[0].text for hint in wrong.hints]
    assert edits == ["98.32 USD/GPU/hour", "98.32 USD/node/hour", "98.32 USD/job/hour"]
    assert all(hint.choice for hint in wrong.hints)
    for edit in edits:
        assert plans.codes(f"{NODE}{PRICE} = {edit}") == []


@pytest.mark.parametrize(("field", "said"), [(PRICE, "2"), (FAILURES, "4"), (NETWORK, "100")])
def test_a_number_without_a_unit_is_offered_each_label(plans, field, said):
    (wrong,) = plans.check(f"{NODE}{field} = {said}")
    assert wrong.code == "E0304" and len(wrong.hints) > 1
    for hint in wrong.hints:
        assert hint.choice and plans.codes(f"{NODE}{field} = {hint.edits[0].text}") == []


def test_the_only_label_may_be_left_out(plans):
    for said in ("128 GB", "128 GB/node"):
        assert plans.value("hardware.host_memory", f"hardware.host_memory = {said}") == 128e9
    (wrong,) = plans.check("hardware.host_memory = 16 GB/GPU")
    assert (wrong.code, wrong.hints[0].edits[0].text, wrong.hints[0].choice) == ("E0311", "16 GB/node", False)


def test_an_entry_converts_by_its_own_node(plans):
    """The plan's GPU has another node than the entry that brackets read."""
    text = (
        'entry gpu "ours" like "H100-SXM5-80GB" { gpus_per_node = 4, price = 20 USD/node/hour }\n'
        'entry gpu "theirs" { price = 16 USD/node/hour }\n'
        'hardware { gpu = "B200", gpus = 64, gpus_per_node = 2 }\n'
        'show gpu.price["ours"]\nshow gpu.price["theirs"]\n'
    )
    assert plans.shown(text) == pytest.approx([5 / HOUR, 2 / HOUR])
    assert plans.value("gpu.price", text.replace('"B200"', '"ours"')) == pytest.approx(5 / HOUR)


def test_a_plan_converts_by_the_node_that_it_has(plans):
    text = 'hardware { gpu = "H100-SXM5-80GB", gpus_per_node = 4 }\ngpu.internode_bandwidth = 100 Gbit/s/node'
    assert plans.value("hardware.internode_bandwidth", text) == 25 * GBIT


def test_the_network_of_a_node(plans):
    """T1: a network card of 10 Gbit/s for the four GPUs of a node was taken for one of each."""
    text = (
        'model "llama-3.2-3b"\ndataset { samples = 50_000, sequence_length = 2048 }\n'
        'hardware { gpu = "RTX 4090", gpus = 8, gpus_per_node = 4, internode_bandwidth = 10 Gbit/s }\n'
        "training { task = finetune, global_batch = 64 sequences }\nparallelism.zero_stage = 3\nminimize time\n"
    )
    assert plans.error(text) == ("E0311", "10 Gbit/s")
    node, card = (
        plans.solve(text.replace("10 Gbit/s", said)).values["time"].value
        for said in ("10 Gbit/s/node", "2.5 Gbit/s/GPU")
    )
    assert node == card


def test_a_job_that_fails_every_four_hours(plans):
    """T2: `mtbf = 4 hours` was taken for the time of one GPU, the price of an instance of eight for that of one."""
    text = (
        'model "llama-3.1-8b"\ndataset { tokens = 500B, sequence_length = 8192 }\n'
        'hardware { gpu = "H100-SXM5-80GB", gpus = 64, mtbf = 4 hours, price = 98.32 USD/hour }\n'
        "training { global_batch = 256 sequences, micro_batch = 1 }\nparallelism.zero_stage = 1\nshow goodput\n"
    )
    assert plans.codes(text) == ["E0311", "E0311"]
    text = text.replace("4 hours", "4 job*hours").replace("98.32 USD/hour", "98.32 USD/node/hour")
    solution = plans.solve(text)
    assert solution.values["job_mtbf"].value == 4 * HOUR
    assert solution.values["goodput"].value > 0.9
    assert solution.values["hardware.price"].value == pytest.approx(12.29 / HOUR)
    assert plans.solve(text, settings=[("hardware.mtbf", "256 GPU*hour")]).values["goodput"].value == pytest.approx(
        solution.values["goodput"].value
    )


def test_labels_are_converted_by_an_open_number_of_gpus(plans):
    text = (
        'model "llama-3.1-8b"\ndataset { tokens = 100B, sequence_length = 8192 }\nassume mfu = 40%\n'
        'hardware { gpu = "H100-SXM5-80GB", gpus = ? in [8, 16, 32], mtbf = 4 job*hours, price = 64 USD/job/hour }\n'
        "require time <= 10 days\nminimize hardware.gpus\n"
    )
    solution = plans.solve(text)
    gpus = solution.values["hardware.gpus"].value
    assert solution.values["job_mtbf"].value == pytest.approx(4 * HOUR)
    assert solution.values["hardware.price"].value == pytest.approx(64 / gpus / HOUR)


def test_a_value_of_another_label_is_shown_for_the_first(plans):
    solution = plans.solve(f"{NODE}{PRICE} = 98.32 USD/node/hour\nshow {PRICE}")
    assert solution.values[PRICE].amount.exact() == "24.58 USD/GPU/hour"
    solution = plans.solve(f"{NODE}{FAILURES} = 4 job*hours\nshow {FAILURES}")
    assert solution.values[FAILURES].amount.exact() == "256 GPU*hours"


# The decorator


@pytest.mark.parametrize(
    ("labels", "wrong"),
    [
        ("GPU", None),
        ("GPU, node", None),
        ("GPU, node, job", None),
        ("node", "node"),
        ("GPU, sequence", "sequence"),
        ("GPU, GPU", "GPU"),
        ("GPU, nodes_of_mine", "nodes_of_mine"),
        ('"GPU"', '"GPU"'),
    ],
)
def test_the_labels_of_the_decorator_are_checked(plans, labels, wrong):
    text = f"kind rack {{\n    @per({labels})\n    power: W/GPU = 300 W/GPU\n}}\nshow rack.power"
    found = plans.check(text)
    assert [(d.code, d.span.text) for d in found if d.severity == "error"] == ([("E0310", wrong)] if wrong else [])


def test_the_decorator_works_for_a_kind_of_the_plan(plans):
    text = (
        "unit shelf\nkind store {\n    shelfs_per_room: shelf = 4 shelf\n    @per(shelf, room)\n"
        "    load: kg/shelf = 1 kg/shelf\n}\nunit room\nstore { load = 8 kg/room }\nshow store.load\n"
    )
    assert plans.shown(text) == [2.0]
    assert plans.error(text.replace("8 kg/room", "8 kg")) == ("E0311", "8 kg")


def test_the_decorator_is_in_the_table():
    assert TABLE["per"].on == ("field",) and TABLE["per"].more is Sort.LABEL


# Currencies


@pytest.mark.parametrize("currency", ["EUR", "GBP", "CHF", "CNY", "JPY", "INR", "euros", "rmb"])
def test_a_currency_needs_a_rate_and_the_message_has_its_line(plans, currency):
    (wrong,) = (d for d in plans.check(f"let budget = 400_000 {currency}") if d.severity == "error")
    assert (wrong.code, wrong.span.text) == ("E0312", currency)
    line = wrong.hints[0].text.split("`")[1]
    code = line.split()[1].rstrip(":")
    assert not wrong.hints[0].edits  # the rate is not known
    assert plans.codes(f"{line}\nlet budget = 400_000 {code}") == []


def test_the_stated_rate_stands_among_the_assumptions(plans):
    text = "unit EUR: USD = 1.08 USD\nhardware.price = 2 EUR/GPU/hour\nshow hardware.price in EUR/GPU/hour\n"
    solution = plans.solve(text + "unit box: token = 500 tokens\n")
    assert [(one.name, one.amount.exact()) for one in solution.assumptions] == [("EUR", "1.08 USD")]
    assert solution.values["hardware.price"].value == pytest.approx(2.16 / HOUR)
    plans.write("rates.plan", "unit EUR: USD = 1.1 USD")
    solution = plans.solve('use "rates.plan"\n' + text.partition("\n")[2])
    assert [(one.name, one.amount.exact()) for one in solution.assumptions] == [("EUR", "1.1 USD")]


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("let server = 250_000 USD\nhardware.price = server / 4 years", "server / 4 years"),
        ("hardware.price = 98.32 USD / 1 hour", "98.32 USD / 1 hour"),
        ("let rate = 250_000 USD / 4 years\nhardware.price = rate", "250_000 USD / 4 years"),
        ("hardware.price = 0.4 kW * 5 USD/kWh", "0.4 kW * 5 USD/kWh"),
        ("hardware.price = 250_000 USD / (8 GPUs * 4 years)", None),
        ("hardware.price = 250_000 USD / (hardware.gpus_per_node * 4 years)", None),
        ("let share = 50%\nhardware.price = share * 2 USD/GPU/hour", None),
        ("hardware.host_memory = 4 * 64 GB", None),
    ],
)
def test_a_product_without_a_label_is_said_to_be_taken_for_the_first(plans, text, taken):
    told = [one for one in plans.check(NODE + text + "\nshow hardware.price") if one.code == "W0620"]
    assert [one.span.text for one in told] == ([taken] if taken else [])
