#!/usr/bin/env bash
# A day of an operator with 3,000 players in 12 factions. Run it in a folder with the project's routes.yaml and
# data/seed.yaml and nothing else: it writes its files there, and prints what each step takes. Needs bash 5, curl, awk and
# the `date` of GNU. Where `npx addon-cli` finds nothing installed, ADDON_CLI says how to run it: "node
# /path/to/dist/addon-cli.cjs".
set -euo pipefail
read -ra CLI <<< "${ADDON_CLI:-npx addon-cli}"
# npx must not fetch a package of that name.
export npm_config_yes=false
PORT=${ADDON_PORT:-8888}
API=http://127.0.0.1:$PORT/gameaddon/v1/-
SECONDS=0

# Shows a title, runs a command, and prints how long it took.
step() {
  local title=$1 started=$EPOCHREALTIME
  shift
  "$@" 2>&1 | sed 's/^/    /'
  awk -v from="$started" -v to="$EPOCHREALTIME" -v title="$title" 'BEGIN { printf "%5.1f s  %s\n", to - from, title }'
}

# Starts the service, and waits until it answers.
start() {
  "${CLI[@]}" serve --port "$PORT" --limits off --log-requests none > /dev/null 2>> serve.log &
  SERVICE=$!
  until curl -sf -o /dev/null "http://127.0.0.1:$PORT/ready"; do
    kill -0 $SERVICE 2> /dev/null || { cat serve.log >&2; exit 1; }
    sleep 0.1
  done
}
stop() { kill $SERVICE && wait $SERVICE || true; }
trap 'stop 2> /dev/null' EXIT

# Claims a token for each line `name,code` of codes.csv, over 16 connections.
claim() {
  awk -F, -v api="$API" 'NR > 1 {
    if (NR > 2) print "next"
    printf "url = \"%s/token/claim\"\nheader = \"Authorization: Bearer %s\"\nwrite-out = \"\\n\"\nfail\n", api, $2
  }' codes.csv | curl --no-progress-meter --parallel --parallel-max 16 --config - > tokens.txt
}

printf 'factions: [NORTH, EAST, SOUTH, WEST, HARBOUR, HILLS, BEACH]\n' > more.yaml
start
step "seven more factions" "${CLI[@]}" seed groups more.yaml

# The morning: everybody is registered with a faction and a rank, and gets a code instead of a token.
factions="GROVE BALLAS VAGOS TRIADS CARTEL NORTH EAST SOUTH WEST HARBOUR HILLS BEACH"
awk -v factions="$factions" 'BEGIN {
  split(factions, faction, " ")
  print "name,organisations,groups"
  for (i = 1; i <= 3000; i++) printf "Player%04d,%s:1,%s\n", i, faction[i % 12 + 1], i % 100 ? "" : "VIP"
}' > roster.csv
apply() { "${CLI[@]}" roster apply "$1" --yes | cut -c 1-100; }
invite() { "${CLI[@]}" token invite --all-without-token > codes.csv; }
step "3,000 players in" apply roster.csv
step "3,000 codes out" invite
step "3,000 codes claimed" claim
echo "    $(grep -o '"token":"gat_' tokens.txt | wc -l) tokens"

# The evening: 300 ranks change, by a second file with only what it is about.
awk -F, 'NR == 1 { print "name,organisations" } NR > 1 && NR <= 301 { sub(":1", ":2", $2); print $1 "," $2 }' roster.csv > evening.csv
step "300 ranks changed" apply evening.csv

# A third file has ten mistakes: all are reported at once, and nothing changes.
cat > mistakes.csv << 'CSV'
name,uuid,organisations,groups,administrator
Player0001,,GROV:1,,
Player0002,,GROVE:0,,
Player0003,,GROVE,,
Player0004,,,VIPS,
Player0005,12345,,,
Player0006,,,,maybe
Player0007,,,,
player0007,,,,
3-May,,,,
,,GROVE:1,,
Player 8,,,,
CSV
refused() { ! "${CLI[@]}" "$@"; }
step "ten mistakes refused" refused roster apply mistakes.csv --yes

# A cheater reports 400 kills at once. The watch finds them, and says what to do.
token=$(grep -o '"gat_[^"]*","name":"Player0042"' tokens.txt | cut -d '"' -f 2)
awk -v api="$API" 'BEGIN { for (i = 1; i <= 400; i++) printf "url = \"%s/statistic/Player0042/add?type=KILL\"\noutput = /dev/null\n", api }' > kills.conf
{ echo "header = \"Authorization: Bearer $token\""; cat kills.conf; } | curl --no-progress-meter --parallel --config -
step "the cheater found" "${CLI[@]}" audit statistics
step "excluded" eval '"${CLI[@]}"' "$("${CLI[@]}" audit statistics 2>&1 | sed -n 's/^addon-cli \(player exclude Player0042 .*\)/\1/p') --yes"
ask() { echo "Authorization: Bearer $token" | curl -s -w '\n' -H @- "$API/$1"; }
step "the cheater asks" ask wantedreason
step "what the cheater did" "${CLI[@]}" audit --by Player0042 --summary
step "taken back" "${CLI[@]}" undo --by Player0042 --operation statistic.add --yes
step "readmitted" "${CLI[@]}" player readmit Player0042
step "the cheater asks again" ask wantedreason

# Memberships that end while the service is stopped are gone before it listens again.
soon=$(date -u -d '+6 seconds' +%FT%TZ)
awk -F, -v soon="$soon" 'NR == 1 { print "name,organisations,groups" }
  $1 == "Player0007" { print $1 "," $2 " POLICE:1@" soon ",VIP@" soon }' evening.csv > trial.csv
step "a member on trial" apply trial.csv
stop
until [[ $(date -u +%FT%TZ) > $soon ]]; do sleep 0.1; done
start
step "the memberships have ended" "${CLI[@]}" audit --operation membership.end
step "the data is sound" "${CLI[@]}" data verify
rm codes.csv tokens.txt
echo "the whole day: $SECONDS s"
