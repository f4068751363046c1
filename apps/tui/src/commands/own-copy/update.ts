import { exitCodes } from '../../cli/exit-codes.ts'
import type { Launch } from '../../cli/launch-server.ts'
import { shownLine } from '../../view/text/control-characters.ts'
import { installationOf, originWords, updateAdvice } from './installation.ts'

/** Runs `parley update`: says how this copy was installed and how to get a newer one. Asks nobody and changes nothing. */
export function sayUpdate({ program }: Pick<Launch, 'program'>, { json }: { readonly json?: boolean }): number {
  const { version, build, moduleUrl } = program
  const installation = installationOf(moduleUrl)
  const facts = { version, build, node: process.version, ...installation, update: updateAdvice(installation) }
  const lines = [
    `parley ${version} (${build}), on Node ${process.version}: ${originWords(installation)}.`,
    `To update: ${facts.update}`,
    'parley asks no registry for newer versions: a package named parley there is not this one.',
  ]
  process.stdout.write(json === true ? `${JSON.stringify(facts)}\n` : `${lines.map(shownLine).join('\n')}\n`)
  return exitCodes.ok
}
