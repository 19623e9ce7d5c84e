# The watchdog of one Runner: docs/explanation/process-trees.md says what it is for.
#
# It reads lines from the Runner. Their end means that the Runner is gone, however it went: then everything that belongs to its
# process trees is ended. All of it is read before any of it runs, so an update of this file does not disturb a running one.
# POSIX sh; tried with dash, bash and busybox.

# Reads one process: sets state, parent, session, threads, started. False when there is no such process.
look_at() {
  stat=
  # A command's name may hold line ends, so every line is read, and what follows the last bracket are numbers only.
  while IFS= read -r line || [ -n "$line" ]; do stat="$stat $line"; done 2>/dev/null <"$proc/$1/stat"
  case $stat in *') '*) ;; *) return 1 ;; esac
  # shellcheck disable=SC2086
  set -- ${stat##*') '}
  [ $# -ge 20 ] || return 1
  state=$1 parent=$2 session=$4 threads=${18} started=${20}
}

# Adds the process that was looked at to the table, if it can belong to a tree.
note() {
  [ "$1" != "$$" ] && [ "$1" != "$runner" ] && [ "$started" -ge "$since" ] || return 0
  leaders="$leaders$1:$started "
  case $state in
    X*) return 0 ;;
    Z*) [ "$threads" -gt 1 ] || return 0 ;;
  esac
  table="$table$1 $parent $session $started "
}

# Reads the process table: words of four in $table, "pid:started" of everybody in $leaders.
read_table() {
  table='' leaders=' '
  if [ "$by_proc" = 1 ]; then
    set +f
    for folder in "$proc"/[0-9]*; do
      pid=${folder##*/}
      look_at "$pid" && note "$pid"
    done
    set -f
  else
    rows=$(ps -ax -o pid= -o ppid= -o pgid= -o stat= 2>/dev/null)
    # shellcheck disable=SC2086
    set -- $rows
    while [ $# -ge 4 ]; do
      parent=$2 session=$3 state=$4 threads=1 started=0
      note "$1"
      shift 4
    done
  fi
}

# True when the session $1 is one of ours, and its number not another leader's by now.
owns_session() {
  case $sessions in *" $1:"*) ;; *) return 1 ;; esac
  case $leaders in
    *" $1:"*)
      recorded=${sessions#*" $1:"}
      case $leaders in *" $1:${recorded%% *} "*) return 0 ;; *) return 1 ;; esac
      ;;
  esac
}

# Adds the process $1, in session $2, begun at $3, to the family, and the session that it stands in.
admit() {
  case $family in *" $1:$3 "*) ;; *) family="$family$1:$3 " ;; esac
  members="$members$1 "
  grown=1
  [ "$2" != 0 ] && [ "$2" != "$runner_session" ] || return 0
  case $sessions in *" $2:"*) return 0 ;; esac
  case $leaders in
    *" $2:"*)
      leader=${leaders#*" $2:"}
      sessions="$sessions$2:${leader%% *} "
      ;;
    *)
      # Its leader has ended, or is older than the Runner and then not ours.
      if [ "$by_proc" = 1 ] && ! look_at "$2"; then sessions="$sessions$2:gone "; fi
      ;;
  esac
}

# Finds who belongs to the trees: sets $members, and $alive to words of two, pid and start.
find_members() {
  members=' ' alive='' marked=' '
  if [ "$by_proc" = 1 ]; then
    set +f
    # Entry by entry (-z): the grep of busybox looks at a line only up to its first NUL.
    for path in $(grep -szlF -e "FAIRLEAD_PROVIDER=$token." "$proc"/[0-9]*/environ 2>/dev/null); do
      path=${path%/environ}
      marked="$marked${path##*/} "
    done
    set -f
  fi
  # shellcheck disable=SC2086
  set -- $sessions
  # Nobody to begin with: the table, which is slow to read in a shell, would show nobody either.
  [ "$#" -gt 0 ] || [ "$marked" != ' ' ] || [ "$family" != ' ' ] || return 0
  read_table
  grown=1
  while [ "$grown" = 1 ]; do
    grown=0
    # shellcheck disable=SC2086
    set -- $table
    while [ $# -ge 4 ]; do
      case $members in
        *" $1 "*) ;;
        *)
          case $marked in *" $1 "*) admit "$1" "$3" "$4" ;; *)
            case $members in *" $2 "*) admit "$1" "$3" "$4" ;; *)
              case $family in *" $1:$4 "*) admit "$1" "$3" "$4" ;; *)
                if owns_session "$3"; then admit "$1" "$3" "$4"; fi ;;
              esac ;;
            esac ;;
          esac
          case $members in *" $1 "*) alive="$alive$1 $4 " ;; esac
          ;;
      esac
      shift 4
    done
  done
}

# Sends a signal to a process that is still the one that was found.
signal() {
  if [ "$by_proc" = 1 ]; then
    look_at "$2" && [ "$started" = "$3" ] || return 0
  fi
  kill "$1" "$4" 2>/dev/null
}

end_everything() {
  by_proc=0
  if look_at "$$"; then by_proc=1; fi
  family=' '
  # Stopped first: while nobody can end or fork, descent shows who belongs to whom.
  for entry in $sessions; do
    signal -STOP "${entry%%:*}" "${entry#*:}" "-${entry%%:*}"
  done
  empty=0 rounds=0
  while [ "$empty" -lt 2 ] && [ "$rounds" -lt 100 ]; do
    rounds=$((rounds + 1))
    find_members
    if [ -z "$alive" ]; then
      empty=$((empty + 1))
      continue
    fi
    empty=0
    if [ "$by_proc" = 0 ]; then
      for entry in $sessions; do kill -KILL "-${entry%%:*}" 2>/dev/null; done
    fi
    # shellcheck disable=SC2086
    set -- $alive
    while [ $# -ge 2 ]; do
      signal -KILL "$1" "$2" "$1"
      shift 2
    done
    sleep 0.02 2>/dev/null || sleep 1
  done
}

main() {
  trap '' INT TERM HUP QUIT PIPE TSTP TTIN TTOU USR1 USR2
  set -f
  token='' proc=/proc runner=0 runner_session=0 since=0 sessions=' '
  while read -r verb first second third; do
    case $verb in
      proc) proc=$first ;;
      token) token=$first ;;
      runner) runner=$first runner_session=$second since=$third ;;
      watch) sessions="$sessions$first:$second " ;;
      forget)
        case $sessions in
          *" $first:$second "*)
            sessions="${sessions%%" $first:$second "*} ${sessions#*" $first:$second "}"
            ;;
        esac
        ;;
    esac
  done
  [ -z "$token" ] || end_everything
}

main
exit 0
