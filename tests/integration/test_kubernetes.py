"""The operator's own types read k8s.yaml and give back every key: unknown ones vanish there, wrong types raise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.integration.plans import written
from tests.integration.real import needs

pytestmark = [pytest.mark.integration, pytest.mark.slow]

PLAN = """model "llama-7b"
dataset {{ tokens = 10B, sequence_length = 2048 tokens }}
hardware {{ gpu = "A100-SXM4-80GB", gpus = {gpus} }}
model.layers = 8
parallelism {{ zero_stage = 3 }}
training {{ global_batch = 256 sequences, micro_batch = 1, recompute = full }}
emit deepspeed, kubernetes {{ script = "train.py", image = "reg.io/a:1", mounts = "data:/data, more:/more",
    cpus = 96, memory = 1 TB, shared_memory = 64 GiB, rdma = "vpc.amazonaws.com/efa=32", secrets = "HF_TOKEN=hub:token",
    queue = "user-queue", tolerations = "nvidia.com/gpu:NoSchedule, team=no:NoExecute", node_selector = "pool=1" }}
kubernetes.job = {job}
"""


def job(folder: Path, gpus: int, job: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((written(PLAN.format(gpus=gpus, job=job))(folder) / "k8s.yaml").read_text())
    return found


@pytest.mark.parametrize("gpus", [1, 8, 64])
def test_a_train_job(gpus: int, tmp_path: Path) -> None:
    needs("kubeflow_trainer_api")
    from kubeflow_trainer_api.models import TrainerV1alpha1TrainJob

    found = job(tmp_path, gpus, "train_job")
    assert TrainerV1alpha1TrainJob.from_dict(found).to_dict() == found


def test_the_pods_of_a_pytorch_job(tmp_path: Path) -> None:
    needs("kubeflow_trainer_api")
    from kubeflow_trainer_api.models import IoK8sApiCoreV1PodTemplateSpec

    spec = job(tmp_path, 64, "pytorch_job")["spec"]
    # The fields of the custom resource, kubeflow.org/v1.
    assert (
        set(spec) <= {"elasticPolicy", "nprocPerNode", "pytorchReplicaSpecs", "runPolicy"}
        and spec["nprocPerNode"] == "8"
    )
    for role, replica in spec["pytorchReplicaSpecs"].items():
        assert role in ("Master", "Worker") and set(replica) <= {"replicas", "restartPolicy", "template"}
        assert IoK8sApiCoreV1PodTemplateSpec.from_dict(replica["template"]).to_dict() == replica["template"]
        assert [one["name"] for one in replica["template"]["spec"]["containers"]] == ["pytorch"]
