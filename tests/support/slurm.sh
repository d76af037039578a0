# shellcheck shell=bash
# A cluster of this machine alone, in the folder of the test: slurm_start, and slurm_stop at the end. With a key, sockets and ports
# of its own, so that it has nothing to do with a cluster that the machine may belong to. Needs root, as slurmd does.
slurm_there() {
  [ "$(id -u)" = 0 ] && command -v munged slurmctld slurmd sbatch >/dev/null
}

slurm_start() {
  local s=$WORK/slurm name port=$((20000 + RANDOM % 20000))
  name=$(hostname -s)
  mkdir -p "$s"/state "$s"/spool
  chmod 755 "$WORK" "$s"
  dd if=/dev/urandom of="$s/key" bs=128 count=1 2>/dev/null
  chmod 600 "$s/key"
  munged --force --key-file="$s/key" --socket="$s/munge" --pid-file="$s/munged.pid" --log-file="$s/munged.log" \
    --seed-file="$s/seed" >"$s/start.log" 2>&1 || return 1
  cat >"$s/slurm.conf" <<CONF
ClusterName=here
SlurmUser=root
SlurmctldHost=$name(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$s/munge
CryptoType=crypto/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
StateSaveLocation=$s/state
SlurmdSpoolDir=$s/spool
SlurmctldPidFile=$s/slurmctld.pid
SlurmdPidFile=$s/slurmd.pid
SlurmctldLogFile=$s/slurmctld.log
SlurmdLogFile=$s/slurmd.log
ReturnToService=2
NodeName=$name NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$name Default=YES MaxTime=INFINITE State=UP
CONF
  export SLURM_CONF=$s/slurm.conf
  slurmctld -f "$s/slurm.conf" -c >>"$s/start.log" 2>&1 && slurmd -f "$s/slurm.conf" -N "$name" >>"$s/start.log" 2>&1 || return 1
  for _ in $(seq 100); do
    sinfo -h -o %T 2>/dev/null | grep -q idle && return 0
    sleep 0.2
  done
  return 1
}

slurm_stop() { # waits for each: they write into the folder to the end
  local name pid
  for name in slurmd slurmctld munged; do
    pid=$(cat "$WORK/slurm/$name.pid" 2>/dev/null) || continue
    kill "$pid" 2>/dev/null
    for _ in $(seq 100); do
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.1
    done
  done
}
