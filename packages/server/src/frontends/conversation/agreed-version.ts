import { rejection } from '../../engine/replies/rejection.ts'

interface Program {
  readonly name: string
  readonly version: string
}

interface Range {
  readonly min: number
  readonly max: number
}

/** The highest version both speak, or one sentence that says which program is older and what to do. */
export function agreedVersion(server: Program, ours: Range, client: Program & Range): number {
  const highest = Math.min(client.max, ours.max)
  if (highest >= Math.max(client.min, ours.min)) return highest
  const older = client.max < ours.min ? 'the client' : 'the server, then end it so that it starts anew'
  throw rejection(
    'protocolVersion',
    `This server is ${server.name} ${server.version} and speaks protocol ${spoken(ours)}, but the client ${client.name} ${client.version} speaks ${spoken(client)}: update ${older}.`,
    { server: { min: ours.min, max: ours.max }, client: { min: client.min, max: client.max } },
  )
}

function spoken({ min, max }: Range): string {
  return min === max ? String(min) : `${min} to ${max}`
}
