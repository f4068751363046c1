import { createRequire } from 'node:module'
import { join } from 'node:path'
import { alwaysRulesFor } from '../../../packages/policy/src/decision/always-rules.ts'
import { decide } from '../../../packages/policy/src/decision/decide.ts'
import { gatherCommandFacts } from '../../../packages/policy/src/facts/gather-command-facts.ts'
import { createShellParser } from '../../../packages/policy/src/shell/parse-shell.ts'
import { diskFiles } from '../../../packages/workspace/src/files/disk-files.ts'
import { secretPaths } from '../../../packages/workspace/src/files/secret-paths.ts'
import { nowMs } from '../clock.mjs'
import { median } from '../statistics.mjs'

const require = createRequire(join(import.meta.dirname, '../../../packages/policy/package.json'))

/** Commands that models run often. */
const usual = [
  'ls -la',
  'cat package.json',
  'npm test',
  'npm run build 2>&1 | tail -n 20',
  'git status --short',
  'git diff HEAD~1 -- src',
  'rg -n "function decide" src | head -20',
  "sed -n '1,80p' src/index.ts",
  'cd src && grep -rn TODO . | wc -l',
  'find . -name "*.ts" -not -path "./node_modules/*"',
  'node -e "console.log(process.version)"',
  'mkdir -p build && cp a.txt build/ && rm -f a.txt',
  'for f in *.ts; do echo "$f"; done',
  'cargo build --release',
  'python3 -m pytest -q tests/test_cart.py',
  "cat <<'EOF' > notes.txt\nhello\nEOF",
]

/** Commands of a build, each different. */
const long = Array.from({ length: 133 }, (_, index) => {
  const kinds = [
    `sed -i "s/alpha/beta-${index}/" src/module-${index}/file-with-a-long-name.ts --quiet`,
    `npm run build --workspace packages/part-${index} --silent --if-present --loglevel=warn`,
    `cp -r src/module-${index}/assets/icons/a.json build/out/${index}/icons/b.json --update`,
  ]
  return kinds[index % kinds.length]
}).join('\n')

/** Measures a command from its text to the verdict: parsing, look-ups on disk, decision, rules for "always". */
export const policy = {
  name: 'policy',
  runs: 9,
  rows: {
    usual: { what: 'policy decision, parse included: usual commands', unit: 'ms', budget: 1, aim: 0.7 },
    long: { what: 'same: a script of 10 KB', unit: 'ms', budget: 10, aim: 7 },
  },
  async prepare({ place }) {
    const shell = createShellParser({
      runtimeWasm: require.resolve('web-tree-sitter/web-tree-sitter.wasm'),
      grammarWasm: require.resolve('tree-sitter-bash/tree-sitter-bash.wasm'),
    })
    const { HOME: home, PARLEY_HOME: parleyHome } = { HOME: place.workspace, ...place.env }
    const secrets = await secretPaths({ home, parleyHome }, diskFiles)
    const searchPath = process.env.PATH
    return { roots: [place.workspace], searchPath, secrets, shell, files: diskFiles }
  },
  async measure({ place, prepared }) {
    const times = []
    for (const text of usual) times.push(await timed(text, place.workspace, prepared))
    return { usual: median(times), long: await timed(long, place.workspace, prepared) }
  },
}

async function timed(text, cwd, around) {
  const startedMs = nowMs()
  const call = { tool: 'shell', argv: ['/bin/sh', '-c', text], cwd, escalation: null, background: false }
  const facts = await gatherCommandFacts(call, around)
  const settings = {
    rules,
    sessionGrants: [],
    approvalPolicy: 'on-request',
    sandboxMode: 'workspace-write',
    enforcement: 'none',
  }
  if (decide(facts, settings).verdict === 'ask') alwaysRulesFor(facts, settings)
  return nowMs() - startedMs
}

const source = { file: 'policy.toml' }

/** Rules of a user with many rules. */
const rules = Array.from({ length: 40 }, (_, index) => ({
  decision: index % 3 === 0 ? 'deny' : 'allow',
  target: { kind: 'command', prefix: [[`tool-${index}`], ['run', 'test']] },
  source,
}))
