#!/usr/bin/env bash
# pliant view: files inside of a page, byte for byte; what is refused; and a page that was not built.
# shellcheck source=tests/support/command.sh
. "$(dirname "$0")/support/command.sh" view

printf '<html>\n<title>the viewer</title>\n<!--pliant:files-->\n<script>end</script></html>\n' >page.html
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >one.obj
printf 'v 0 0 1\nv 1 0 1\nv 0 1 1\nf 1 2 3\n' >'a "b" <c>.obj'
for i in 1 2 10; do cp one.obj "f_$i.obj"; done

# inside NAME FILE: what the page holds under this name is the file
inside() {
  grep -F "data-name=\"$1\"" view.html | sed 's/^[^>]*>//; s/<.*//' | base64 -d | cmp -s - "$2" || fail "$last: $1 is not inside"
}
run 0 --page page.html one.obj 'a "b" <c>.obj'
out_has '^view.html: 0.0 MB with 2 files inside; open it in a browser$'
err_lines 0
inside one.obj one.obj
grep -qx '<title>one.obj</title>' view.html || fail "the title is not the name of the first file"
inside 'a &#34;b&#34; &#60;c&#62;.obj' 'a "b" <c>.obj'
grep -q '<script>end</script></html>' view.html || fail "the page is not whole"
run 0 --page page.html 'f_*.obj' --out other.html
out_has 'other.html.*3 files'
grep -qx '<title>f_1.obj</title>' other.html || fail "the title is not the name of the first frame"
[ "$(grep -c pliant-file other.html)" = 3 ] || fail "not all frames are inside"

# The buffers of a .gltf come along, under the names that it gives them.
printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200\077\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200\077\0\0\0\0' >'far away.bin'
printf '%s' '{"asset":{"version":"2.0"},"buffers":[{"uri":"far%20away.bin","byteLength":36}],"bufferViews":[{"buffer":0,"byteLength":36}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"nodes":[{"mesh":0}]}' >scene.gltf
if "$PLIANT" info scene.gltf >/dev/null 2>&1; then
  run 0 --page page.html scene.gltf
  inside scene.gltf scene.gltf
  inside 'far away.bin' 'far away.bin'
  rm view.html
  mv 'far away.bin' gone
  refused 2 'far away.bin: no such file' --page page.html scene.gltf
fi

rm -f view.html
printf 'v 0 0\n' >broken.obj
refused 2 'broken.obj:1: ' --page page.html one.obj broken.obj
refused 2 'no such file' --page page.html missing.obj
refused 2 'OBJ, PLY, STL, OFF and glTF' --page page.html page.html
refused 2 'not a viewer of pliant' --page one.obj one.obj
refused 2 'no such file' --page missing.html one.obj
refused 2 'cannot be written' --page page.html one.obj --out missing/view.html
refused 64 'name a mesh file' --page page.html
refused 64 'there is no -- here' --page page.html one.obj -- one.obj
mkdir folder
cp one.obj folder/one.obj
refused 2 'have the same name' --page page.html one.obj folder/one.obj
[ ! -e view.html ] || fail "a page was left behind"

# Where the viewer was not built, the command says what to do; where it was installed beside it, it is found.
mkdir -p tree/bin tree/share/pliant
cp "$PLIANT" tree/bin/pliant
PLIANT=$PWD/tree/bin/pliant
if [ ! -e /usr/local/share/pliant/view.html ]; then refused 2 'run ./dev web in a checkout' one.obj; fi
cp page.html tree/share/pliant/view.html
run 0 one.obj
inside one.obj one.obj
finish
