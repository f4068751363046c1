import { isRunning, readOwner, sessionPaths, walkSessions } from '@parley/journal'
import type { Check } from '@parley/protocol'
import type { PolicyPorts } from '../policy/policy-ports.ts'

/** How many there are, and which were left by a process that was killed. */
export function checkOwners({ files, home }: Pick<PolicyPorts, 'files' | 'home'>): Check[] {
  const sessions = walkSessions(files, home)
  const owners = sessions.flatMap(({ id }) => {
    const paths = sessionPaths(home, id)
    const owner = paths === null ? null : readOwner(files, paths.owner)
    return owner === null ? [] : [{ id, isLive: isRunning(owner) }]
  })
  const left = owners.filter(({ isLive }) => !isLive)
  const count: Check = {
    name: 'conversations',
    level: 'ok',
    text: `${sessions.length} kept, ${owners.length - left.length} open`,
  }
  if (left.length === 0) return [count]
  const [first] = left
  const text = `${left.length} left by a process that was killed; nothing is lost, the kernel has freed the lock`
  const remedy = `parley resume ${first?.id.slice(-8) ?? ''} goes on with it.`
  return [count, { name: 'conversations', level: 'warning', text, remedy }]
}
