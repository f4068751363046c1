/**
 * Prints parley's figures beside their budgets (`npm run bench`). Fails only when a run fails, never for a figure.
 *
 *   --only NAME        one measure (repeatable): version, exec, calls, flood-text, flood-json, server, …
 *   --runs N           how often each is measured, after one run that does not count
 *   --against FOLDER   another built checkout, measured in turn with this one: for a change, before and after
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measures } from './measures.mjs'
import { startModel } from './model.mjs'
import { programAt } from './program.mjs'
import { makeScratch } from './scratch.mjs'
import { describeRow, heading, layOut } from './table.mjs'

const { values: options } = parseArgs({
  options: { only: { type: 'string', multiple: true }, runs: { type: 'string' }, against: { type: 'string' } },
})
const checkouts = [join(import.meta.dirname, '../..'), options.against].filter((at) => at !== undefined)
const programs = await Promise.all(checkouts.map(programAt))
const chosen = measures.filter(({ name }) => options.only === undefined || options.only.includes(name))
if (chosen.length === 0) throw new Error(`--only is one of: ${measures.map(({ name }) => name).join(', ')}`)

/** Measures the programs in turn, so that other work of the machine affects all alike. */
async function figuresOf(measure, { model, scratch }) {
  const contexts = []
  for (const program of programs) {
    const context = { program, model, place: scratch.place(model), copyOf: (place) => scratch.place(model, place) }
    contexts.push({ ...context, prepared: await measure.prepare?.(context) })
  }
  const figures = programs.map(() => [])
  const runs = options.runs === undefined ? measure.runs : Number(options.runs)
  for (let run = 0; run <= runs; run++) {
    for (const [index, context] of contexts.entries()) {
      const figure = await measure.measure(context)
      if (run > 0) figures[index].push(figure)
    }
  }
  return figures
}

function rowsOf(measure, [figures, others]) {
  return Object.entries(measure.rows).map(([key, row]) => {
    const column = (from) => from.map((figure) => figure[key])
    return describeRow(row, column(figures), others === undefined ? null : column(others))
  })
}

using scratch = makeScratch()
await using model = await startModel()
const rows = []
for (const measure of chosen) {
  process.stderr.write(`${measure.name}…\n`)
  rows.push(...rowsOf(measure, await figuresOf(measure, { model, scratch })))
}
console.log(layOut([heading(programs.length > 1), ...rows]))
