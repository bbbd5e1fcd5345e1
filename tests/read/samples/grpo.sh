python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=1024 \
  actor_rollout_ref.model.path=Qwen/Qwen2.5-7B trainer.nnodes=2 trainer.n_gpus_per_node=8 'trainer.logger=[a,b]'
