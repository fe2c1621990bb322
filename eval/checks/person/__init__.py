"""What a report says of its reader, and whether it says anything of somebody else."""
