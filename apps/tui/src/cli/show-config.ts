import type { Launch } from '../main.ts'
import { stripEffects } from '../view/text/control-characters.ts'
import { connect } from './connect.ts'
import { exitCodes } from './exit-codes.ts'
import { type CommonFlags, overridesOf } from './flags.ts'
import { workingFolder } from './working-folder.ts'

/** `parley config`: each effective value with where it comes from. */
export async function showConfig(launch: Launch, flags: CommonFlags & { json?: boolean }): Promise<number> {
  const overrides = overridesOf(flags)
  const { cwd = workingFolder() } = overrides
  await using connection = await connect(launch, { canApprove: false, clientName: 'parley-config' })
  const config = await connection.client.request('config/read', { ...overrides, cwd })
  for (const warning of config.warnings) process.stderr.write(`parley: ${stripEffects(warning)}\n`)
  const width = Math.max(...config.values.map(({ key }) => key.length))
  const lines = config.values.map(({ key, value, origin }) =>
    stripEffects(`${key.padEnd(width)}  ${JSON.stringify(value)}  (${origin})`),
  )
  process.stdout.write(flags.json === true ? `${JSON.stringify(config)}\n` : `${lines.join('\n')}\n`)
  return exitCodes.ok
}
