#!/usr/bin/env bash
# Every file that the command writes is whole or not there: on a full disk, and when it is interrupted, an older file of that name stays
# as it was and nothing else is left behind. A limit on the size of files stands in for the full disk: it needs no rights.
# shellcheck source=tests/support/command.sh
. "$(dirname "$0")/support/command.sh"

# Two bumpy sheets that touch, and one that falls through the other in three frames.
python3 - <<'PY'
import math
def sheet(path, n, z, tilt):
    with open(path, "w") as f:
        for i in range(n + 1):
            for j in range(n + 1): f.write(f"v {i/n} {j/n} {z + tilt*(i/n - .5) + .05*math.sin(9*j/n)}\n")
        for i in range(n):
            for j in range(n):
                a = i*(n+1) + j + 1
                f.write(f"f {a} {a+n+1} {a+n+2}\nf {a} {a+n+2} {a+1}\n")
sheet("a.obj", 20, 0, 0); sheet("b.obj", 20, 0, 1)
for k in range(3): sheet(f"fall_{k}.obj", 20, .5 - .5*k, .2)
PY
# Crosses itself.
python3 -c '
import math
for i in range(40): print("v", i/8 if i < 20 else (39-i)/8, math.sin(i), 0, "\nv", i/8 if i < 20 else (39-i)/8, math.sin(i+1), 1)
for i in range(39): print("f", 2*i+1, 2*i+2, 2*i+3, "\nf", 2*i+2, 2*i+4, 2*i+3)' >fold.obj
head -c 3000 /dev/zero | tr '\0' ' ' >filler
{ printf '<html>\n<!--pliant:files-->\n'; cat filler; printf '</html>\n'; } >page.html
mkdir bin to

# A stand-in for ffmpeg, which reads frames and writes the file that it is told last; it fails where the file cannot be written.
cat >bin/ffmpeg <<'SH'
#!/bin/sh
for last; do :; done
cat >"${last#file:}"
SH
chmod +x bin/ffmpeg

# on_full_disk LINE...: the command where not one byte can be written to a file
on_full_disk() {
  (ulimit -f 0 && PATH=$WORK/bin:$PATH "$PLIANT" "$@" 2>&1 >/dev/null) | cat >err
  return "${PIPESTATUS[0]}"
}
# kept NAME LINE...: the line would write to/NAME. It succeeds, it fails on a full disk, and each time to/ has what it should.
kept() {
  local name=$1 code=0
  shift
  last="pliant $*"
  tests=$((tests + 1))
  rm -rf to && mkdir to
  on_full_disk "$@" || code=$?
  : >out
  [ $code = 2 ] || fail "$last, without an older file on a full disk: exit code $code instead of 2"
  err_lines 1
  err_has 'cannot be written: File too large\|ffmpeg\|gnuplot'
  [ -z "$(find to -type f)" ] || fail "$last: leaves $(find to -type f | tr '\n' ' ') on a full disk"
  rm -rf to && mkdir -p "to/$(dirname "$name")"
  echo older >"to/$name"
  code=0
  on_full_disk "$@" || code=$?
  [ $code = 2 ] || fail "$last on a full disk: exit code $code instead of 2"
  [ "$(cat "to/$name" 2>&1)" = older ] || fail "$last: the older file is gone on a full disk"
  [ "$(find to -type f | wc -l)" = 1 ] || fail "$last: leaves $(find to -type f | tr '\n' ' ') on a full disk"
  PATH=$WORK/bin:$PATH "$PLIANT" "$@" >out 2>err || fail "$last: exit code $?"
  [ "$(head -c 5 "to/$name" | tr -d '\0')" != older ] || fail "$last: the older file is still there"
  [ -z "$(find to -name '.pliant-*')" ] || fail "$last: leaves a temporary file"
}
kept page.html collide a.obj b.obj --report to/page.html
kept found.ply collide a.obj b.obj --out to/found.ply
kept found.glb collide a.obj b.obj --out to/found.glb
kept found_0000.ply collide a.obj b.obj --out to/found_%04d.ply
kept page.html self fold.obj --report to/page.html
kept found.glb self fold.obj --out to/found.glb
kept page.html distance a.obj b.obj --report to/page.html
kept found.ply distance a.obj b.obj --out to/found.ply
kept plot.svg distance fall_0.obj a.obj --plot to/plot.svg
kept page.html impact 'fall_%d.obj' a.obj --report to/page.html
kept one.glb simulate duo --frames 3 --out to/one.glb
kept frame0000.obj simulate duo --frames 1 --out to/frame%04d.obj
kept frame0000.stl simulate duo --frames 1 --out to/frame%04d.stl
kept state simulate duo --frames 1 --checkpoint to/state
kept view.html view a.obj --page page.html --out to/view.html
if "$PLIANT" render a.obj --size 160x120 --out picture.png >/dev/null 2>&1; then
  kept picture.png render a.obj --size 160x120 --out to/picture.png
  kept frame0000.png simulate duo --frames 1 --size 160x120 --out to/frame%04d.png
  kept video.mp4 render a.obj --size 64x64 --video to/video.mp4
  [ -n "${SANITIZED-}" ] || kept demo/index.html demo --steps 2 --triangles 100 --out to/demo
fi
kept junit.xml check a.obj --junit to/junit.xml
[ ! -e picture.png ] || kept index/1-whole.png check fold.obj --index to/index --page page.html
kept sarif.json check a.obj --sarif to/sarif.json
kept bench/files.json bench a.obj b.obj --quick --out to/bench
if command -v gnuplot >/dev/null; then kept plot.png distance fall_0.obj a.obj --plot to/plot.png; fi

# The other files of an older set stay too.
rm -rf to && mkdir -p to && echo older >to/found_0000.ply && echo other >to/found_0001.ply
on_full_disk collide a.obj b.obj --out to/found_%04d.ply && fail "a full disk is no error"
[ "$(cat to/found_0000.ply to/found_0001.ply)" = $'older\nother' ] || fail "a file of an older set is gone"

# A file is replaced where a link leads, keeps its permissions, and is not replaced if they forbid to write it.
rm -rf to && mkdir to && echo older >to/real.ply && chmod 640 to/real.ply && ln -s real.ply to/link.ply
run 0 collide a.obj b.obj --out to/link.ply
if [ ! -L to/link.ply ] || [ "$(head -c 3 to/real.ply)" != ply ]; then fail "$last: the link was replaced, not its file"; fi
[ "$(stat -c %a to/real.ply)" = 640 ] || fail "$last: permissions became $(stat -c %a to/real.ply)"
if [ "$(id -u)" != 0 ]; then
  chmod 440 to/real.ply && refused 2 'to/real.ply: cannot be written: Permission denied' collide a.obj b.obj --out to/real.ply
fi
ln -s nowhere.ply to/dangling.ply
run 2 collide a.obj b.obj --out to/dangling.ply; err_has 'a link that leads nowhere'

# -------------------------------------------------------------------------------------------------------- interrupts
# interrupted NAME LINE...: ended by a signal while it works; to/NAME stays, and there is nothing beside it.
interrupted() {
  local name=$1 signal
  shift
  for signal in INT TERM HUP; do
    last="pliant $* ended by $signal"
    tests=$((tests + 1))
    rm -rf to && mkdir to
    echo older >"to/$name"
    # python3: a shell's background jobs ignore SIGINT
    PATH=$WORK/bin:$PATH python3 - "$signal" "$PLIANT" "$@" >out 2>err <<'PY' || fail "$last: $(tail -1 err)"
import os, signal, subprocess, sys, time
number = getattr(signal, "SIG" + sys.argv[1])
child = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
end = time.time() + 60
while time.time() < end and child.poll() is None and not [n for n in os.listdir("to") if n.startswith(".pliant-")]: time.sleep(.001)
os.killpg(child.pid, number)
code = child.wait(60)
assert code == -number, code
PY
    [ "$(cat "to/$name")" = older ] || fail "$last: the older file is gone"
    [ "$(find to -type f | wc -l)" = 1 ] || fail "$last: leaves $(find to -type f | tr '\n' ' ')"
  done
}
# A video is written for as long as frames are rendered.
if [ -e picture.png ]; then interrupted video.mp4 render --scene s4 --triangles 500 --size 640x480 --samples 64 --video to/video.mp4; fi

# Workers of check write pictures and players of many assets: what is there is whole, whenever it ends.
if [ -e picture.png ]; then
  mkdir many && for i in 1 2 3 4 5 6 7 8 9; do cp fold.obj "many/n${i}x.obj"; done
  for signal in INT TERM; do
    last="pliant check --index ended by $signal"
    tests=$((tests + 1))
    rm -rf to && mkdir to
    python3 - "$signal" "$PLIANT" check many --index to --page page.html --threads 2 >out 2>err <<'PY' || fail "$last: $(tail -1 err)"
import os, signal, subprocess, sys, time
number = getattr(signal, "SIG" + sys.argv[1])
child = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
end = time.time() + 60
while time.time() < end and child.poll() is None and not [n for n in os.listdir("to") if n.startswith(".pliant-")]: pass
try: os.kill(child.pid, number) if sys.argv[1] == "TERM" else os.killpg(child.pid, number)
except ProcessLookupError: pass # it has ended already
code = child.wait(60)
assert code in (-number, 0), code
end = time.time() + 10
while time.time() < end: # workers that were told to end may still be doing so
    try: os.killpg(child.pid, 0)
    except ProcessLookupError: break
    time.sleep(.001)
for name in os.listdir("to"):
    assert not name.startswith("."), name
    data = open(f"to/{name}", "rb").read()
    assert data.endswith(b"IEND\xaeB`\x82" if name.endswith(".png") else b"</html>\n"), name
PY
  done
fi

# impact opens its report first and writes it last: an older page stays until then.
rm -rf to && mkdir to && echo older >to/page.html
refused 2 'no such file' impact 'fall_%d.obj' nothing.obj --report to/page.html
mkfifo full && { sleep 60 >full & holder=$!; }
exec 9<full # nobody reads: the command waits for room in the pipe, in the middle of its lines
"$PLIANT" impact 'fall_%d.obj' a.obj --json --list --report to/page.html >full 2>err &
command_pid=$!
sleep 0.5
kill -TERM $command_pid
wait $command_pid
[ "$(cat to/page.html)" = older ] || fail "an interrupted impact --report removed the older page"
[ "$(find to -type f | wc -l)" = 1 ] || fail "an interrupted impact --report leaves $(find to -type f | tr '\n' ' ')"
kill "$holder"

finish
