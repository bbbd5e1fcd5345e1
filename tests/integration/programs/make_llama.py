"""A Llama of two layers with random weights and a tokenizer of words, and a data set of short texts, as folders.

Usage: make_llama.py FOLDER
"""

import json
import random
import sys
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

folder = Path(sys.argv[1])
words = [f"w{number}" for number in range(61)]
vocabulary = {word: number for number, word in enumerate(["<unk>", "<s>", "</s>", *words])}
tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
fast = PreTrainedTokenizerFast(
    tokenizer_object=tokenizer, unk_token="<unk>", bos_token="<s>", eos_token="</s>", pad_token="</s>"
)
fast.save_pretrained(folder / "model")
torch.manual_seed(0)
config = LlamaConfig(
    vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, bos_token_id=1,
    eos_token_id=2,
    pad_token_id=2,
)  # fmt: skip
LlamaForCausalLM(config).save_pretrained(folder / "model")
chance = random.Random(0)
(folder / "data").mkdir()
lines = [json.dumps({"text": " ".join(chance.choice(words[:8]) for _ in range(24))}) for _ in range(128)]
(folder / "data" / "train.jsonl").write_text("\n".join(lines) + "\n")
