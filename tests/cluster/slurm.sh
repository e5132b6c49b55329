#!/usr/bin/env bash
# A real Slurm cluster of several virtual nodes on this machine, for tests. Debian, root, no systemd; loopback only.
#   slurm.sh start        install what is missing, start everything, return when all nodes are idle
#   slurm.sh stop         cancel all jobs and stop the daemons that `start` started
#   slurm.sh with COMMAND start, run the command, stop; exit code 77 if a cluster cannot be had here
#   slurm.sh crash nodeN  kill a node's daemon and everything that runs on it, as a power cut would
#   slurm.sh revive nodeN bring a crashed node back
#   slurm.sh pause / resume   take the controller away, and bring it back
# NODES (4), CPUS per node (1) and MEMORY per node (2000 MB) can be set in the environment.
set -euo pipefail

NODES=${NODES:-4} CPUS=${CPUS:-1} MEMORY=${MEMORY:-2000}
STATE=/var/lib/permconf-slurm RUN=/run/permconf-slurm LOGS=/var/log/permconf-slurm
DATABASE=/run/mysqld/mysqld.sock
# Slurm's commands look here. The file is there only while the cluster runs: with it but without a controller, every
# command (and every start of Snakemake's Slurm plugin) waits for ten seconds or more; without it they fail at once.
CONFIGURATION=/etc/slurm
PACKAGES="munge slurmctld slurmd slurm-client slurm-wlm-basic-plugins slurmdbd slurm-wlm-mysql-plugin mariadb-server"

fail() { echo "slurm.sh: $*" >&2; exit 1; }

running() { # pid file
  local pid; pid=$(cat "$1" 2>/dev/null) || return 1
  [ -n "$pid" ] && [ -e "/proc/$pid" ] && ! grep -q '^State:.Z' "/proc/$pid/status"
}

wait_for() { # seconds, command...
  local tries=$(($1 * 5)); shift
  while ! "$@" >/dev/null 2>&1; do
    tries=$((tries - 1)); [ "$tries" -gt 0 ] || return 1
    sleep 0.2
  done
}

install_packages() {
  local missing="" package
  for package in $PACKAGES; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  command -v apt-get >/dev/null || fail "needs$missing, and there is no apt-get to install them"
  export DEBIAN_FRONTEND=noninteractive
  apt-get -qq update || true
  # shellcheck disable=SC2086
  apt-get -qq install -y --no-install-recommends $missing >/dev/null
}

make_folders() {
  install -d -m 755 "$RUN" "$STATE" "$LOGS"
  install -d -m 755 -o slurm -g slurm "$RUN" "$LOGS" "$STATE/controller"
  install -d -m 755 -o mysql -g mysql "$STATE/database" /run/mysqld
  install -d -m 755 -o munge -g munge /run/munge
  local i; for i in $(seq "$NODES"); do install -d -m 755 "$STATE/node$i"; done
}

write_configuration() {
  cat >"$STATE/slurmdbd.conf" <<CONF
AuthType=auth/munge
DbdHost=localhost
DbdAddr=127.0.0.1
SlurmUser=slurm
LogFile=$LOGS/slurmdbd.log
PidFile=$RUN/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=slurm
StoragePass=slurm
StorageLoc=permconf_slurm
CONF
  chown slurm:slurm "$STATE/slurmdbd.conf"
  chmod 600 "$STATE/slurmdbd.conf"
  local host; host=$(hostname -s)
  {
    cat <<CONF
ClusterName=permconf
SlurmctldHost=$host(127.0.0.1)
SlurmUser=slurm
AuthType=auth/munge
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmctldPidFile=$RUN/slurmctld.pid
SlurmctldLogFile=$LOGS/slurmctld.log
StateSaveLocation=$STATE/controller
SlurmdPidFile=$RUN/slurmd.%n.pid
SlurmdLogFile=$LOGS/slurmd.%n.log
SlurmdSpoolDir=$STATE/%n
SlurmdParameters=config_overrides
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=2
JobAcctGatherParams=OverMemoryKill
MpiDefault=none
SwitchType=switch/none
SchedulerParameters=sched_interval=5,bf_interval=5,batch_sched_delay=0,sched_min_interval=200000
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SlurmdTimeout=10
SlurmctldTimeout=10
ReturnToService=2
KillWait=5
MinJobAge=3600
EnforcePartLimits=ALL
PreemptType=preempt/partition_prio
PreemptMode=CANCEL
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoreFlags=job_comment
CONF
    local i
    for i in $(seq "$NODES"); do
      echo "NodeName=node$i NodeHostname=$host NodeAddr=127.0.0.1 Port=$((17000 + i)) CPUs=$CPUS RealMemory=$MEMORY"
    done
    echo "PartitionName=main Nodes=node[1-$NODES] Default=YES MaxTime=INFINITE DefaultTime=60 DefMemPerCPU=500 State=UP PriorityTier=1"
    echo "PartitionName=urgent Nodes=node[1-$NODES] MaxTime=10 DefaultTime=1 DefMemPerCPU=500 State=UP PriorityTier=9"
  } >"$STATE/slurm.conf"
  ln -sf "$STATE/slurm.conf" "$STATE/slurmdbd.conf" "$CONFIGURATION"
}

foreign_configuration() { # a slurm.conf that is not the one made here
  [ -e "$CONFIGURATION/slurm.conf" ] && [ "$(readlink "$CONFIGURATION/slurm.conf")" != "$STATE/slurm.conf" ]
}

start_munge() {
  [ -s /etc/munge/munge.key ] || runuser -u munge -- /usr/sbin/mungekey -c
  if ! running /run/munge/munged.pid; then
    rm -f /run/munge/munged.pid /run/munge/munge.socket.2*
    runuser -u munge -- /usr/sbin/munged
  fi
  wait_for 10 munge -n -o /dev/null || fail "munge does not work"
}

start_accounting() {
  if ! running "$RUN/database.pid"; then
    [ -d "$STATE/database/mysql" ] || mariadb-install-db --no-defaults --user=mysql --datadir="$STATE/database" \
      --auth-root-authentication-method=normal --skip-test-db >"$LOGS/database-install.log" 2>&1
    setsid mariadbd --no-defaults --user=mysql --datadir="$STATE/database" --skip-networking --socket="$DATABASE" \
      --pid-file="$STATE/database/pid" --innodb-lock-wait-timeout=900 >"$LOGS/database.log" 2>&1 </dev/null &
    echo $! >"$RUN/database.pid"
  fi
  wait_for 30 mariadb --no-defaults --socket="$DATABASE" -e "SELECT 1" || fail "the accounting database does not start"
  mariadb --no-defaults --socket="$DATABASE" -e "CREATE DATABASE IF NOT EXISTS permconf_slurm;
    CREATE USER IF NOT EXISTS 'slurm'@'localhost' IDENTIFIED BY 'slurm';
    GRANT ALL ON permconf_slurm.* TO 'slurm'@'localhost';"
  running "$RUN/slurmdbd.pid" || /usr/sbin/slurmdbd
  wait_for 30 bash -c 'exec 3<>/dev/tcp/127.0.0.1/6819' || fail "slurmdbd does not start"
}

start_node() { running "$RUN/slurmd.$1.pid" || { rm -f "$RUN/slurmd.$1.pid"; /usr/sbin/slurmd -N "$1"; }; }

all_idle() { [ "$(sinfo -h -N -p main -o %t | grep -cE '^(idle|mix|alloc)$')" = "$NODES" ]; }

start() {
  [ "$(id -u)" = 0 ] || fail "must be root"
  ! foreign_configuration || fail "this machine has a Slurm of its own ($CONFIGURATION/slurm.conf)"
  install_packages || fail "the packages of Slurm cannot be installed"
  make_folders
  start_munge
  running "$RUN/slurmctld.pid" || write_configuration
  start_accounting
  running "$RUN/slurmctld.pid" || /usr/sbin/slurmctld
  local i; for i in $(seq "$NODES"); do start_node "node$i"; done
  wait_for 60 all_idle || { sinfo -N -l >&2; fail "the nodes do not come up"; }
  echo "Slurm runs with $NODES nodes."
}

stop_daemon() { # pid file
  running "$1" || { rm -f "$1"; return 0; }
  local pid; pid=$(cat "$1")
  kill "$pid" 2>/dev/null || true
  wait_for 15 bash -c "! kill -0 $pid 2>/dev/null || grep -q '^State:.Z' /proc/$pid/status" || kill -9 "$pid"
  rm -f "$1"
}

stop() {
  local jobs
  if running "$RUN/slurmctld.pid"; then
    jobs=$(timeout 10 squeue -h -o %A | sort -u)
    # shellcheck disable=SC2086
    [ -z "$jobs" ] || { timeout 20 scancel $jobs; wait_for 20 bash -c '[ -z "$(squeue -h)" ]' || true; }
  fi
  local file
  for file in "$RUN"/slurmd.*.pid "$RUN/slurmctld.pid" "$RUN/slurmdbd.pid" "$RUN/database.pid" /run/munge/munged.pid; do
    [ ! -e "$file" ] || stop_daemon "$file"
  done
  foreign_configuration || rm -f "$CONFIGURATION/slurm.conf" "$CONFIGURATION/slurmdbd.conf"
  echo "Slurm is stopped."
}

start_or_stop() { (start) || { stop >/dev/null; exit 77; }; }

with() { # command...
  start_or_stop
  trap stop EXIT
  trap 'exit 143' TERM INT
  "$@" &
  wait $!
}

crash() { # node
  local process
  kill -9 "$(cat "$RUN/slurmd.$1.pid")"
  for process in $(grep -lszx "SLURMD_NODENAME=$1" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3); do
    kill -9 "$process" 2>/dev/null || true
  done
  for process in $(squeue -h -w "$1" -o %A | sort -u); do pkill -9 -f "slurmstepd: \[$process\." || true; done
}

case "${1:-}" in
  start) start_or_stop ;;
  stop) stop ;;
  with) shift; with "$@" ;;
  crash) crash "$2" ;;
  revive) start_node "$2" ;;
  pause) stop_daemon "$RUN/slurmctld.pid" ;;
  resume) /usr/sbin/slurmctld ;;
  *) sed -n '2,9s/^# //p' "$0"; exit 2 ;;
esac
