import { namesIn } from '../../system/list-folder.ts'
import { lookAt, realPathOrNull } from '../../system/real-path.ts'

/** Sorts the existing paths by the kind of mount that hides them; for a link, by its target. */
export function hiddenPlaces(paths: readonly string[]) {
  const folders = new Set<string>()
  const files = new Set<string>()
  for (const path of paths) {
    // Most places do not exist, and a real path is slow to find that out.
    const found = lookAt(path)
    if (found === null) continue
    const place = realPathOrNull(path)
    if (place === null || place === '/') continue
    const isFolder = (found.isSymbolicLink() ? lookAt(place) : found)?.isDirectory()
    if (isFolder !== undefined) (isFolder ? folders : files).add(place)
  }
  return { folders: [...folders], files: [...files] }
}

/**
 * Returns the content of a hidden file inside a sandbox, by its name. An empty file is neither XML nor JSON: with one
 * in place of its settings, Maven or Composer fails instead of building without them.
 */
export function standInFor(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  if (name.endsWith('.json')) return '{}\n'
  if (name.startsWith('settings-security')) return '<settingsSecurity/>\n'
  if (name === 'nuget.config') return '<configuration/>\n'
  return name.endsWith('.xml') ? '<settings/>\n' : ''
}

/** System services that act for any process that reaches them. Below /run, or /var/run where that is another folder. */
const servicesInRun: readonly string[] = `
  acpid.socket avahi-daemon containerd crio cups dbus docker docker.sock host-services initctl libvirt mysqld pcscd
  podman postgresql rpcbind.sock screen snapd-snap.socket snapd.socket systemd tmux user uuidd
`
  .trim()
  .split(/\s+/)

const servicesElsewhere = [
  '/var/lib/incus/unix.socket',
  '/var/lib/lxd/unix.socket',
  '/var/snap/lxd/common/lxd/unix.socket',
  '/var/spool/at',
  '/var/spool/cron',
] as const

const servicesAtHome = ['.colima', '.lima', '.orbstack', '.rd'] as const

/** Paths below hidden folders that stay visible: the settings of name resolution. */
export const visibleAgain = ['/run/systemd/resolve'] as const

/** Lists the services that exist, by listing their folders: to examine them one by one would take longer than all the rest. */
export function systemServices(home: string): string[] {
  return [
    ...['/run', '/var/run'].flatMap((folder) => servicesAmong(namesIn(folder)).map((name) => `${folder}/${name}`)),
    ...servicesElsewhere,
    ...servicesAtHome.map((name) => `${home}/${name}`),
  ]
}

function servicesAmong(names: readonly string[] | null): readonly string[] {
  return names === null ? servicesInRun : servicesInRun.filter((name) => names.includes(name))
}
