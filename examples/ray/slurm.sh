#!/bin/bash
#SBATCH --nodes=8 --ntasks-per-node=1 --cpus-per-task=16
source ~/drr/bin/activate; source ~/.config/drr/keys        # on every node: srun takes them along
export RAY_AUTH_MODE=token
head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -1)
srun -N1 -w "$head" ray start --head --port=6379 --num-cpus=14 --block &
sleep 20
srun -N7 -x "$head" ray start --address="$head:6379" --num-cpus=16 --block &
sleep 20
RAY_ADDRESS="$head:6379" drr run "$HOME/study" --pool ray --workers 120 --units-per-worker 50 --concurrency 1000
