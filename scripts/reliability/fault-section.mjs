import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { escaped } from '../protocol/field-table.mjs'
import { withSection } from '../protocol/page-section.mjs'

/** Rows of the table: a fault, the promise that holds then, and the tests that show it. */
export const faults = readFileSync(new URL('faults.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line))

/** Returns docs/reliability.md with its tables of faults written anew. */
export function reliabilityPage() {
  const page = readFileSync(new URL('../../docs/reliability.md', import.meta.url), 'utf8')
  return withSection(page, 'faults', groupTables())
}

function groupTables() {
  const groups = new Map()
  for (const fault of faults) groups.set(fault.group, [...(groups.get(fault.group) ?? []), fault])
  return [...groups].map(([group, rows]) => `\n### ${headings[group]}\n\n${tableOf(rows)}\n`).join('')
}

const headings = {
  'kill server': 'The server is killed',
  'kill client': 'A client is killed or leaves',
  terminal: 'The terminal',
  transport: 'The connection',
  model: 'The model',
  storage: 'The disk',
  concurrency: 'Several processes',
  child: 'Commands',
  process: 'Processes of parley',
  scripted: 'Scripts',
  environment: 'Another machine',
  'tool server': 'Tool servers',
}

function tableOf(rows) {
  return ['| | what goes wrong | what holds | shown by |', '|---|---|---|---|', ...rows.map(rowOf)].join('\n')
}

function rowOf({ id, fault, promise, proofs }) {
  const files = [...new Set(proofs.map(({ file }) => file))]
  const links = files.map((file) => `[${basename(file).replace(/\.test\.tsx?$/, '')}](../${file})`)
  return `| <a id="${id.toLowerCase()}"></a>${id} | ${escaped(fault)} | ${escaped(promise)} | ${links.join(', ')} |`
}
