"""The cache: private, atomic, and nothing in it is trusted unseen."""

from __future__ import annotations

import hashlib
import marshal
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from llmplan.cache import store
from llmplan.cache.key import key
from llmplan.cache.seal import seal

DATA = {"a": [1, 2.5, None, True], "b": ("x", frozenset({"y"})), "c": {"d": b"e"}}


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "cache" / "llmplan"


def only(folder):
    (path,) = folder.iterdir()
    return path


def test_what_is_stored_is_loaded(home):
    assert store.load("thing", key("key")) is None
    store.keep("thing", key("key"), DATA)
    assert store.load("thing", key("key")) == DATA
    assert store.load("thing", key("other key")) is None
    assert store.load("other", key("key")) is None
    assert home.stat().st_mode & 0o777 == 0o700
    assert only(home).stat().st_mode & 0o077 == 0


def test_the_last_one_counts(home):
    store.keep("thing", key("key"), 1)
    store.keep("thing", key("key"), 2)
    assert store.load("thing", key("key")) == 2
    assert only(home)


@pytest.mark.parametrize(
    "change", [lambda b: b[:-1], lambda b: b[:40], lambda b: b"", lambda b: b[:-1] + b"?", lambda b: b + b"x"]
)
def test_a_damaged_file_is_none(home, change):
    store.keep("thing", key("key"), DATA)
    path = only(home)
    path.write_bytes(change(path.read_bytes()))
    assert store.load("thing", key("key")) is None
    store.keep("thing", key("key"), DATA)
    assert store.load("thing", key("key")) == DATA


def test_a_file_of_another_key_is_none(home):
    store.keep("thing", key("key"), DATA)
    first = only(home)
    store.keep("thing", key("other"), 1)
    second = next(path for path in home.iterdir() if path != first)
    second.write_bytes(first.read_bytes())
    assert store.load("thing", key("other")) is None


def test_a_link_is_not_followed(home, tmp_path):
    store.keep("thing", key("key"), DATA)
    path = only(home)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert store.load("thing", key("key")) is None


def test_a_folder_that_others_can_write_to_is_not_used(home):
    store.keep("thing", key("key"), DATA)
    home.chmod(0o777)
    assert store.load("thing", key("key")) is None


def test_a_folder_of_another_owner_is_not_used(home, monkeypatch):
    store.keep("thing", key("key"), DATA)
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert store.load("thing", key("key")) is None


@pytest.mark.parametrize("error", [PermissionError, OSError])
def test_no_folder_means_no_cache(home, monkeypatch, error):
    def refuse(*_, **__):
        raise error

    monkeypatch.setattr(os, "mkdir", refuse)
    store.keep("thing", key("key"), DATA)
    assert store.load("thing", key("key")) is None


def test_a_full_disk_leaves_nothing(home, monkeypatch):
    store.keep("thing", key("key"), 1)

    def refuse(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    store.keep("thing", key("other"), DATA)
    assert store.load("thing", key("key")) == 1
    assert only(home)


def test_a_relative_folder_is_not_used(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    store.keep("thing", key("key"), 1)
    assert store.load("thing", key("key")) == 1
    assert (tmp_path / "home" / ".cache" / "llmplan").is_dir() and not (tmp_path / "relative").exists()


def test_old_files_go(home):
    store.keep("thing", key("key"), 1)
    os.utime(only(home), (0, 0))
    store.keep("thing", key("other"), 2)
    assert store.load("thing", key("key")) is None and store.load("thing", key("other")) == 2


def test_only_plain_data(home):
    with pytest.raises(ValueError):
        store.keep("thing", key("key"), object())


# Seals


@pytest.fixture
def own(home, tmp_path):
    """Where the secret lies once something was kept."""
    store.keep("thing", key("key"), DATA)
    path = tmp_path / "state" / "llmplan" / "cache.key"
    assert path.stat().st_size == 32 and path.stat().st_mode & 0o777 == 0o600
    return path


def test_the_secret_is_not_in_the_cache(home, own):
    assert own.read_bytes() not in only(home).read_bytes()
    assert home not in own.parents


@pytest.mark.parametrize("secret", [None, bytes(32)])
def test_what_somebody_else_has_written_is_none(home, own, secret):
    """Everything is as it should be but the seal, which takes the secret."""
    path = only(home)
    head, payload = path.read_bytes()[:40], marshal.dumps({"a": "forged"})
    made = hashlib.sha256(payload).digest() if secret is None else seal(b"thing" + head[8:] + payload, secret)
    path.write_bytes(head + made + payload)
    assert store.load("thing", key("key")) is None


def test_a_code_object_is_not_even_read(home, own, monkeypatch):
    path = only(home)
    head = path.read_bytes()[:40]
    payload = marshal.dumps(compile("1", "x", "eval"))
    path.write_bytes(head + hashlib.sha256(payload).digest() + payload)
    monkeypatch.setattr(marshal, "loads", lambda data: pytest.fail("it was read"))
    assert store.load("thing", key("key")) is None


def test_a_file_under_another_name_is_none(home, own):
    path = only(home)
    path.rename(path.with_name(path.name.replace("thing", "other")))
    assert store.load("other", key("key")) is None


def test_a_cache_of_another_machine_is_none(home, own):
    own.unlink()
    assert store.load("thing", key("key")) is None
    store.keep("thing", key("other"), 1)
    assert store.load("thing", key("key")) is None and store.load("thing", key("other")) == 1


@pytest.mark.parametrize("damage", ["short", "long", "readable by others", "link"])
def test_a_secret_that_is_none(home, own, tmp_path, damage):
    if damage == "readable by others":
        own.chmod(0o644)
    elif damage == "link":
        own.rename(tmp_path / "elsewhere")
        own.symlink_to(tmp_path / "elsewhere")
    else:
        own.write_bytes(b"x" * (31 if damage == "short" else 33))
    assert store.load("thing", key("key")) is None
    store.keep("thing", key("key"), 1)
    if damage != "link":  # which may be somebody's own arrangement, and is left
        assert store.load("thing", key("key")) == 1
    assert sorted(path.name for path in own.parent.iterdir()) == ["cache.key"]


def test_a_folder_of_the_secret_that_cannot_be_made(home, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    store.keep("thing", key("key"), DATA)
    assert store.load("thing", key("key")) is None


def test_many_make_one_secret(home):
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: store.keep("thing", key(str(number)), number), range(40)))
    assert all(store.load("thing", key(str(number))) == number for number in range(40))


def test_a_secret_that_another_makes_meanwhile_is_kept(home, monkeypatch):
    random = os.urandom

    def overtaken(size):
        monkeypatch.setattr(os, "urandom", random)
        store.keep("thing", key("theirs"), 1)
        return random(size)

    monkeypatch.setattr(os, "urandom", overtaken)
    store.keep("thing", key("own"), 2)
    assert store.load("thing", key("theirs")) == 1 and store.load("thing", key("own")) == 2
