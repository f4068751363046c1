// Prints each place that breaks a rule of the house which old code still breaks: `node scripts/house.mjs [FOLDER]`.
// With --lower it writes the counts to scripts/layering/held.json, where they may only fall.
import { countByPackage, findViolations, lowerHeld } from './layering/held.ts'
import { readSources } from './layering/sources.ts'

const [folder = ''] = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const findings = findViolations(readSources('src'))
if (process.argv.includes('--lower')) lowerHeld(countByPackage(findings))
else {
  for (const [rule, found] of findings) {
    const inside = found.filter((one) => one.startsWith(folder))
    console.log(`${rule}: ${inside.length}`)
    for (const one of inside) console.log(`  ${one}`)
  }
}
