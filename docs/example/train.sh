#!/bin/bash
#SBATCH --nodes=2
#SBATCH --gpus-per-node=8
srun torchrun --nnodes=$SLURM_NNODES --nproc_per_node=8 sft.py \
  --model_name_or_path meta-llama/Llama-3.1-8B \
  --dataset_name my/chats --max_length 8192 --packing \
  --per_device_train_batch_size 16 --gradient_accumulation_steps 1 \
  --max_steps 4000 --bf16 --deepspeed ds_config.json --output_dir out
