"""A training script as the report asks for it: a LightningCLI, whose module shards itself where the plan does.

Usage: train_by_lightning.py fit --config trainer.yaml …; REPORTS names a folder for what each rank saw.
"""

import json
import os
from pathlib import Path

import pytorch_lightning as pl
import torch
from pytorch_lightning.cli import LightningCLI
from pytorch_lightning.strategies import ModelParallelStrategy
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.utils.data import DataLoader


class Module(pl.LightningModule):
    net: torch.nn.Sequential

    def configure_model(self):
        if hasattr(self, "net"):
            return
        self.net = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.Linear(16, 1))
        if isinstance(self.trainer.strategy, ModelParallelStrategy):
            policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
            for layer in (*self.net, self.net):
                fully_shard(layer, mesh=self.device_mesh["data_parallel"], mp_policy=policy)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=float(os.environ["LLMPLAN_LEARNING_RATE"]))

    def on_train_start(self):
        self.started, self.batches = self.trainer.global_step, 0

    def training_step(self, batch, index):
        self.batches += 1
        return self.net(batch).pow(2).mean()

    def on_train_end(self):
        weight = next(self.net.parameters())
        seen = {
            "world": self.trainer.world_size,
            "strategy": type(self.trainer.strategy).__name__,
            "precision": self.trainer.precision,
            "clipping": self.trainer.gradient_clip_val,
            "started": self.started,
            "ended": self.trainer.global_step,
            "batches": self.batches,
            "weights": str(weight.dtype),
            "held": getattr(weight, "to_local", lambda: weight)().numel() / weight.numel(),
        }
        Path(os.environ["REPORTS"], f"rank-{self.global_rank}.json").write_text(json.dumps(seen))


class Data(pl.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(torch.randn(400, 16), batch_size=int(os.environ["LLMPLAN_MICRO_BATCH"]))


if __name__ == "__main__":
    LightningCLI(Module, Data, save_config_callback=None)
