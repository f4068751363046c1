import { connect } from '../cli/connect.ts'
import { exitCodes } from '../cli/exit-codes.ts'
import { type CommonFlags, overridesOf } from '../cli/flags.ts'
import { workingFolder } from '../cli/folders.ts'
import type { Launch } from '../cli/launch-server.ts'
import { stripEffects } from '../view/text/control-characters.ts'

/** Runs `parley config`: each effective value with its origin. */
export async function showConfig(launch: Launch, flags: CommonFlags & { json?: boolean }): Promise<number> {
  const overrides = overridesOf(flags)
  const { cwd = workingFolder() } = overrides
  await using parley = await connect(launch, { clientName: 'parley-config' })
  const config = await parley.request('config/read', { ...overrides, cwd })
  for (const warning of config.warnings) process.stderr.write(`parley: ${stripEffects(warning)}\n`)
  const width = Math.max(...config.values.map(({ key }) => key.length))
  const lines = config.values.map(({ key, value, origin }) =>
    stripEffects(`${key.padEnd(width)}  ${JSON.stringify(value)}  (${origin})`),
  )
  process.stdout.write(flags.json === true ? `${JSON.stringify(config)}\n` : `${lines.join('\n')}\n`)
  return exitCodes.ok
}
