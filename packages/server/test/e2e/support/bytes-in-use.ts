import { waitUntil } from '@parley/testkit'
import type { SpawnedServer } from './spawned-server.ts'

/** Memory that the server needs, without freed pages that it has not given back yet. */
export async function bytesInUse(server: SpawnedServer): Promise<number> {
  const reports = () => [...server.stderr().matchAll(/in use (\d+)/g)].map(([, bytes]) => Number(bytes))
  const known = reports().length
  server.child.kill('SIGUSR2')
  return waitUntil(() => reports()[known], { what: 'the report of the memory in use' })
}
