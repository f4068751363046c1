import { RpcError } from '@parley/rpc'
import type { Launch } from '../main.ts'
import { connect } from './connect.ts'
import { exitCodeOf, exitCodes } from './exit-codes.ts'
import { type CommonFlags, overridesOf } from './flags.ts'

/** `parley config`: each effective value with where it comes from. */
export async function showConfig(launch: Launch, flags: CommonFlags & { json?: boolean }): Promise<number> {
  await using connection = await connect(launch, { canApprove: false, clientName: 'parley-config' })
  try {
    const config = await connection.client.request('config/read', {
      ...overridesOf(flags),
      cwd: flags.cd ?? process.cwd(),
    })
    for (const warning of config.warnings) process.stderr.write(`${warning}\n`)
    const width = Math.max(...config.values.map(({ key }) => key.length))
    const lines = config.values.map(
      ({ key, value, origin }) => `${key.padEnd(width)}  ${JSON.stringify(value)}  (${origin})`,
    )
    process.stdout.write(flags.json === true ? `${JSON.stringify(config)}\n` : `${lines.join('\n')}\n`)
    return exitCodes.ok
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    process.stderr.write(`parley: ${error.message}\n`)
    return exitCodeOf(error.data?.code ?? 'internal')
  }
}
