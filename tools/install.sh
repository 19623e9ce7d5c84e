# Sourced by on-node24. Defines install_step, which leaves $node set, or says what to do and fails.
# One at a time: the lock is a file descriptor, so it dies with its holder. Everything it prints goes to stderr.

oldest=24

say() { printf 'fairlead: %s\n' "$*" >&2; }

install_step() {
  lock_file=$root/.install.lock
  # In a subshell a failed exec ends only that subshell: an unwritable clone gets a sentence instead of a shell error.
  if ! (: >>"$lock_file") 2>/dev/null; then
    say "cannot write in $root; the first run installs there. Run it once as a user who may, then again."
    return 1
  fi
  exec 9>>"$lock_file"
  lock_descriptor || return 1
  install_locked
  status=$?
  exec 9>&-
  return $status
}

# Takes the lock on descriptor 9 and waits for it. flock(2) belongs to the open file, so a helper may take it for us.
lock_descriptor() {
  if command -v flock >/dev/null 2>&1; then
    flock -n 9 && return 0
    say 'another command is installing; waiting for it'
    flock 9 && return 0
  elif command -v perl >/dev/null 2>&1; then
    perl -e 'open(my $lock, ">>&=9") or exit 1; exit(flock($lock, 2) ? 0 : 1)' && return 0
  fi
  say 'the install lock could not be taken: install flock (util-linux) or perl, then run again'
  return 1
}

install_locked() {
  digest=$(digest_of_inputs)
  if [ -r "$record" ]; then
    { read -r installed; read -r node; } <"$record" || node=
    [ -n "$node" ] && [ -x "$node" ] && [ "$installed" = "$digest" ] && return 0
  fi
  choose_node || return 1
  use_writable_cache
  if ! "$node" "$root/tools/installed.mjs" >/dev/null 2>&1; then
    say 'installing dependencies (once; npm says what it does below)'
    (cd "$root" && with_node npm ci --no-audit --no-fund) 9>&- >&2 || {
      say 'npm ci failed; its message stands above. Check the network or the registry setting, then run again.'
      return 1
    }
  fi
  "$node" --disable-warning=ExperimentalWarning "$root/tools/build-published.ts" 9>&- >&2 || {
    say 'building packages/plugin-sdk, extension or plugin-conformance failed; the message stands above.'
    return 1
  }
  printf '%s\n%s\n' "$digest" "$node" >"$record.$$" && mv -f "$record.$$" "$record"
}

# Puts the chosen Node first in PATH, for npm and whatever npm starts.
with_node() { PATH=$(dirname "$node"):$PATH "$@"; }

choose_node() {
  node=$(node -p 'process.execPath' 2>/dev/null) || node=
  if [ -n "$node" ] && runs_new_enough "$node"; then return 0; fi
  node=$root/.node24/node_modules/.bin/node
  runs_new_enough "$node" && return 0
  lay_node
}

runs_new_enough() {
  [ -x "$1" ] && "$1" -e "process.exit(Number(process.versions.node.split('.')[0]) >= $oldest ? 0 : 1)" 2>/dev/null
}

# Fetches the platform's runtime package aside, tries it, and only then gives it its name.
lay_node() {
  if ! command -v npm >/dev/null 2>&1; then
    say "Node $oldest or newer is needed, and npm to fetch it: install Node from https://nodejs.org/, then run again"
    node=
    return 1
  fi
  use_writable_cache
  say "this machine's Node is older than $oldest; fetching Node $oldest into .node24 (once, about 45 MB)"
  rm -rf "$root"/.node24.new.*
  aside=$root/.node24.new.$$
  mkdir -p "$aside" && cp "$root/tools/node24/package.json" "$root/tools/node24/package-lock.json" "$aside/" || return 1
  (cd "$aside" && npm ci --ignore-scripts --no-audit --no-fund) 9>&- >&2
  # npm ends 0 even when no package fits the platform, so only a Node that runs counts.
  if ! runs_new_enough "$aside/node_modules/.bin/node"; then
    rm -rf "$aside"
    node=
    say "no Node $oldest could be fetched for $(uname -s) $(uname -m): install Node $oldest or newer from https://nodejs.org/, then run again"
    return 1
  fi
  rm -rf "$root/.node24"
  mv "$aside" "$root/.node24" || return 1
  node=$root/.node24/node_modules/.bin/node
}

# A read-only home must not stop an installation: npm's cache then goes into the clone.
use_writable_cache() {
  [ -n "${cache_checked:-}" ] && return 0
  cache_checked=1
  cache=$(npm config get cache 2>/dev/null)
  if [ -n "$cache" ] && mkdir -p "$cache" 2>/dev/null && (: >"$cache/.fairlead-probe.$$") 2>/dev/null; then
    rm -f "$cache/.fairlead-probe.$$"
  else
    npm_config_cache=$root/.npm-cache
    export npm_config_cache
  fi
}
