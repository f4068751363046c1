import { access, readFile } from 'node:fs/promises'
import type { Surroundings } from './reasons.ts'

export async function lookAround(env: Readonly<Record<string, string | undefined>>): Promise<Surroundings> {
  const [apparmor, clone, most, docker, podman, status] = await Promise.all([
    textOf('/proc/sys/kernel/apparmor_restrict_unprivileged_userns'),
    textOf('/proc/sys/kernel/unprivileged_userns_clone'),
    textOf('/proc/sys/user/max_user_namespaces'),
    exists('/.dockerenv'),
    exists('/run/.containerenv'),
    textOf('/proc/self/status'),
  ])
  // Container runtimes put a filter around all that they run.
  const isFiltered = /^Seccomp:\t2$/m.test(status)
  return {
    isContainer: docker || podman || env['container'] !== undefined || isFiltered,
    restrictsUserNamespaces: apparmor === '1',
    forbidsUserNamespaces: clone === '0',
    hasNoUserNamespaces: most === '0',
    isRoot: process.getuid?.() === 0,
  }
}

async function textOf(path: string): Promise<string> {
  const text = await readFile(path, 'latin1').catch(() => '')
  return text.trim()
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
