// Prints each place that breaks a rule of the house over all packages: `node scripts/house.mjs [FOLDER]`.
import { findViolations } from './layering/house-rules.ts'
import { readSources } from './layering/sources.ts'

const [folder = ''] = process.argv.slice(2)
for (const [rule, found] of findViolations(readSources('src'))) {
  const inside = found.filter((one) => one.startsWith(folder))
  console.log(`${rule}: ${inside.length}`)
  for (const one of inside) console.log(`  ${one}`)
}
