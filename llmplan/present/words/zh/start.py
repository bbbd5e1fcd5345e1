"""The comments of a starting plan, in Chinese."""

from __future__ import annotations

from llmplan.present.words.zh.labels import Labels


class Start(Labels):
    """What a starting plan says of its lines."""

    start_tokens = "训练所用的词元数，以及每个样本的最大长度。"
    start_open = "`?` 由 llmplan 决定：放得下的最少 GPU 数。"
    start_given = "任何数字都可以改成 `?`，由 llmplan 决定。"
    start_layout = "布局：单个 GPU 放不下的模型如何切分。"
    start_batch = "每次更新权重所用的样本。"
    start_require = "必须满足的要求；去掉 `#` 并填写限值。"
    start_goal = "在满足要求的方案中追求的目标。"
    start_emit = "`llmplan compile` 在报告之外写出的文件。"
    start_yours = "请换成自己的"

    def start_title(self, model: str) -> str:
        return f"训练 {model} 的一次运行。"
