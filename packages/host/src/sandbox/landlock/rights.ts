/** Rights of Linux Landlock (linux/landlock.h). A ruleset denies the rights it knows unless a rule grants them. */
const right = {
  writeFile: 1 << 1,
  readFile: 1 << 2,
  readFolder: 1 << 3,
  removeFolder: 1 << 4,
  removeFile: 1 << 5,
  makeCharDevice: 1 << 6,
  makeFolder: 1 << 7,
  makeFile: 1 << 8,
  makeSocket: 1 << 9,
  makeFifo: 1 << 10,
  makeBlockDevice: 1 << 11,
  makeLink: 1 << 12,
  /** Right to rename and hard-link from one folder into another. */
  refer: 1 << 13,
  truncate: 1 << 14,
  deviceIoctl: 1 << 15,
} as const

const network = { bindTcp: 1 << 0, connectTcp: 1 << 1 } as const
const scope = { abstractSockets: 1 << 0, signals: 1 << 1 } as const

/** Version of Linux 6.2; before it, a read-only file could be truncated. */
export const lowestVersion = 3
const versionOf = { network: 4, deviceIoctl: 5, scope: 6 } as const

export const reads = { listing: right.readFolder, content: right.readFile } as const

/** Rights to everything below a folder except device files. */
export const fullWrite =
  right.writeFile |
  right.removeFolder |
  right.removeFile |
  right.makeFolder |
  right.makeFile |
  right.makeSocket |
  right.makeFifo |
  right.makeLink |
  right.refer |
  right.truncate

const fileRights = right.writeFile | right.readFile | right.truncate | right.deviceIoctl

const deviceRights = right.writeFile | right.readFile | right.deviceIoctl

/** Returns the rights that a file can have: the system refuses a rule that grants a file the rights of folders. */
export function rightsOnFile(rights: number): number {
  return rights & fileRights
}

export function rightsOnDevice(version: number): number {
  return deviceRights & handledRights(version)
}

/** Returns the rights to the descriptors of the command's output. */
export function rightsOnOutput(version: number): number {
  return (right.writeFile | right.truncate | right.deviceIoctl) & handledRights(version)
}

function handledRights(version: number): number {
  const always = fullWrite | right.readFile | right.readFolder | right.makeCharDevice | right.makeBlockDevice
  return version >= versionOf.deviceIoctl ? always | right.deviceIoctl : always
}

/** Returns `struct landlock_ruleset_attr` in the length that this version knows. */
export function rulesetAttributes(version: number, options: { readonly network: boolean }): Buffer {
  const words = [handledRights(version)]
  if (version >= versionOf.network) words.push(options.network ? 0 : network.bindTcp | network.connectTcp)
  if (version >= versionOf.scope) words.push(scope.abstractSockets | scope.signals)
  const attributes = Buffer.alloc(words.length * 8)
  for (const [index, word] of words.entries()) attributes.writeBigUInt64LE(BigInt(word), index * 8)
  return attributes
}
