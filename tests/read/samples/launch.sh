set -e
export NPROC_PER_NODE=8
cat > ds.json <<EOF
{"zero_optimization": {"stage": ${STAGE:-2}}}
EOF
for lr in 1e-5; do accelerate launch --num_processes 8 train.py --model_name_or_path gpt2 \
  --per_device_train_batch_size 8 --learning_rate $lr --deepspeed ds.json; done
