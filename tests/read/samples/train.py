from trl import SFTConfig, SFTTrainer

args = SFTConfig(
    per_device_train_batch_size=2,
    gradient_checkpointing=True,
    learning_rate=1e-5,
    max_length=2048,
)
trainer = SFTTrainer(model="gpt2", args=args)
