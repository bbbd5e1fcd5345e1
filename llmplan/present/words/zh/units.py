"""Units and labels of the library as Chinese engineers write them.

Input: a text of an answer, whose numbers are followed by units in English. Output: the same with Chinese units:
`29.1 天`, `128 张 GPU`. Names of a plan, code and symbols of units (GB, TFLOP/s) stay.
"""

from __future__ import annotations

import re

_UNITS = {
    "years": "年", "year": "年", "months": "个月", "month": "个月", "weeks": "周", "week": "周", "days": "天",
    "day": "天", "hours": "小时", "hour": "小时", "min": "分钟", "s": "秒", "ms": "毫秒", "us": "微秒",
    "GPUs": "张 GPU", "GPU": "张 GPU", "nodes": "个节点", "node": "个节点", "tokens": "token", "sequences": "条序列",
    "sequence": "条序列", "steps": "步", "step": "步", "parameters": "参数", "layers": "层", "GPU-hours": "GPU·小时",
    "USD": "美元", "queries": "次查询", "samples": "个样本", "epochs": "轮", "token/s": "token/秒",
    "tokens/s": "token/秒", "queries per minute": "次查询/分钟",
}  # fmt: skip
_ALONE = {**_UNITS, "GPUs": "GPU", "GPU": "GPU", "nodes": "节点", "steps": "步", "tokens": "token", "sequences": "序列"}
"""What a unit is called without a number before it, in the head of a row or at an axis."""

_PARTS = {
    "weights": "权重", "optimizer": "优化器", "gradients": "梯度", "activations": "激活", "logits": "logits",
    "working set": "工作集", "buffers": "缓冲区", "context": "上下文", "compute": "计算", "fixed costs": "固定开销",
    "frozen model": "冻结模型", "data-parallel traffic": "数据并行通信", "tensor-parallel traffic": "张量并行通信",
    "context-parallel traffic": "上下文并行通信", "expert traffic": "专家通信", "pipeline traffic": "流水线通信",
    "pipeline bubble": "流水线气泡", "offload": "卸载", "model FLOPs at the data-sheet peak": "按标称峰值计的模型计算",
    "large matrix products below the peak": "大矩阵乘低于峰值",
    "small products, attention, norms, host": "小矩阵乘、注意力、归一化、主机",
    "recomputed FLOPs": "重计算", "copies of 4-bit weights": "4 位权重的副本",
    "gradients of frozen weights, not computed": "冻结权重不计算的梯度",
    "difference to the assumed rate": "与假定速率之差", "cache": "缓存", "kernel starts": "内核启动",
    "all-reduce": "全归约", "engine": "引擎", "prefill of others": "其他请求的预填充", "server": "服务器",
    "prefill": "预填充", "steps of others": "其他请求的步", "queue": "排队", "arrivals": "到达排队",
}  # fmt: skip
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_.])((?:[−+]?\d[\d,.]*(?: × 10[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)?[TBMk]?)(?: – [−+]?\d[\d,.]*[TBMk]?)?) ("
    + "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
    + r")(?![A-Za-z0-9_/*-])"
)


def localized(text: str) -> str:
    """A text with its units in Chinese."""
    if text in _ALONE:
        return _ALONE[text]
    return _NUMBER.sub(lambda found: f"{found[1]} {_UNITS[found[2]]}", text)


def part(label: str) -> str:
    """What a part of memory or of a step is called; parts of one label are told one by one."""
    if label in _PARTS:
        return _PARTS[label]
    return "、".join(_PARTS.get(one, one) for one in label.split(", "))


_SOURCES = {
    "on demand": "按需",
    "spot": "竞价",
    "reserved": "预留",
    "from a secondary page": "来自二手页面",
    "median of five clouds": "五家云的中位数",
}


def source(text: str) -> str:
    """Where a price comes from; names and dates stay."""
    return "，".join(_SOURCES.get(one, one) for one in text.split(", "))
