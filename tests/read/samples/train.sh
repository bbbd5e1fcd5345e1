#!/bin/bash
#SBATCH --nodes=4 --gpus-per-node=8
TP=${TP:-4}
PP=2
N=$((TP * PP))
ARGS=(
  --tensor-model-parallel-size $TP
  --pipeline-model-parallel-size $PP
)
if [ $PP -gt 1 ]; then
ARGS+=(--sequence-parallel)
fi
srun torchrun --nnodes $SLURM_NNODES --nproc_per_node 8 pretrain_gpt.py "${ARGS[@]}" \
  --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --micro-batch-size 1 \
  --global-batch-size 512 --train-iters 1000 --bf16 --lr 3e-4
