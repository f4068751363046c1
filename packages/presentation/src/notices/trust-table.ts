import type { TrustReport } from '@parley/protocol'
import { showHidden } from '../text/control-characters.ts'
import type { Notice } from './notice.ts'

/** Rows shown at most. */
const maxRows = 300

/** Returns the effects of a project's configuration; `hash` is null if some are left out: a yes must not cover them. */
export function trustTable(report: TrustReport): { readonly notice: Notice; readonly hash: string | null } {
  const { root, state } = report
  if (state === 'none') return { notice: note(`${escapedLine(root)} brings no configuration of its own.`), hash: null }
  const rows = trustRows(report)
  const isWhole = rows.length <= maxRows
  const end = isWhole
    ? trustHint(report)
    : `${rows.length - maxRows} more lines: \`parley trust\` shows them all, and takes your answer.`
  const title = `What the configuration of ${escapedLine(root)} does`
  return {
    notice: { kind: 'table', title, rows: [...rows.slice(0, maxRows), ['answer', end]] },
    hash: isWhole ? report.hash : null,
  }
}

function trustHint({ hash, state, rejects }: TrustReport): string {
  if (hash === null) return 'There is nothing to decide.'
  if (rejects?.declined !== undefined) return rejects.declined
  if (rejects?.trusted !== undefined && state !== 'trusted') return `${rejects.trusted} /trust no declines it.`
  return state === 'trusted' ? '/trust no takes that back.' : '/trust yes trusts exactly this, /trust no declines it.'
}

function note(text: string): Notice {
  return { kind: 'note', level: 'info', text }
}

export type LabelledText = readonly [label: string, text: string]

const states: Readonly<Record<TrustReport['state'], string>> = {
  none: 'it has none',
  untrusted: 'not trusted: nothing of it takes effect',
  changed: 'changed since you trusted it: nothing of it takes effect',
  trusted: 'trusted: it takes effect in new conversations',
  declined: 'declined: nothing of it takes effect',
}

/** Returns the facts to decide on, programs it would start first, with hidden characters shown. */
export function trustRows(report: TrustReport): readonly LabelledText[] {
  const { state, wouldRun, changes, ignored } = report
  const rows: readonly LabelledText[] = [
    ['state', states[state]],
    ...wouldRun.flatMap(programRows),
    ...changes.map((text): LabelledText => ['effect', text]),
    ...ignored.map((text): LabelledText => ['ignored', text]),
    ...contentRows(report),
  ]
  return rows.map(([label, text]) => [escapedLine(label), escapedLine(text)])
}

/** Returns text on one line, so that a name with a line end cannot forge another row. */
export function escapedLine(text: string): string {
  return showHidden(text).replaceAll('\n', '\\n')
}

function programRows({
  name,
  hook,
  argv,
  cwd,
  env = {},
  url,
  sandboxed,
  network,
}: TrustReport['wouldRun'][number]): LabelledText[] {
  if (argv.length === 0) return [['connects to', `${url ?? 'nothing'} for the tool server ${name}`]]
  const where = sandboxed
    ? `inside the sandbox, ${network ? 'with' : 'without'} network`
    : 'outside any sandbox: it may do all that its account may'
  return [
    ['starts', `${argv.map(quoted).join(' ')}`],
    ['', `for the ${hook === true ? name : `tool server ${name}`}, in ${cwd ?? 'its folder'}, ${where}`],
    ...Object.entries(env).map(([key, value]): LabelledText => ['', `with ${key}=${quoted(value)}`]),
  ]
}

/** Quotes words that could be read as something else, with unprintable characters escaped. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)
}

/** Returns the changes, or the whole files if there is no diff. */
function contentRows({ files, diff }: TrustReport): LabelledText[] {
  if (diff !== undefined) return linesOf('change', diff)
  return files.flatMap(({ path, text }) => linesOf(path, text))
}

function linesOf(label: string, text: string): LabelledText[] {
  const lines = text.replace(/\n$/, '').split('\n')
  return [[label, ''], ...lines.map((line): LabelledText => ['', line])]
}
