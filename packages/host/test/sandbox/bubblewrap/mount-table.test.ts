import { describe, expect, it } from 'vitest'
import { mountedOverItself, parseMountTable } from '../../../src/sandbox/bubblewrap/mount-table.ts'

const table = parseMountTable(
  [
    '20 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw',
    '21 20 0:30 /@home /home rw - btrfs /dev/vdb rw',
    '22 20 0:31 / /mnt rw - tmpfs tmpfs rw',
    '23 22 0:32 / /mnt/deep rw - tmpfs tmpfs rw',
    // Covers the two before it.
    '24 22 254:0 /srv/other /mnt rw - ext4 /dev/vda rw',
    String.raw`25 21 0:33 /a\040b /home/me/odd\040name\134 rw - ext4 /dev/vdc rw`,
    '',
  ].join('\n'),
)

describe('a path that is mounted over itself', () => {
  it.each([
    ['in the root', '/w/.git', ' 254:0 /w/.git /w/.git '],
    ['in another device, of which a part is mounted', '/home/me/w', ' 0:30 /@home/me/w /home/me/w '],
    ['a mount already', '/home', ' 0:30 /@home /home '],
    ['beside one with a name that begins alike', '/homes/x', ' 254:0 /homes/x /homes/x '],
    ['in what covers another mount', '/mnt/deep/x', ' 254:0 /srv/other/deep/x /mnt/deep/x '],
    [
      'with spaces, tabs and backslashes',
      '/home/me/odd name\\/x\ty',
      String.raw` 0:33 /a\040b/x\011y /home/me/odd\040name\134/x\011y `,
    ],
    ['the root', '/', ' 254:0 / / '],
  ])('has its entry in the mount table: %s', (_, path, line) => {
    expect(mountedOverItself(path, table)).toBe(line)
  })

  it('is found when the first mount is its own parent', () => {
    const first = parseMountTable('1 1 0:2 / / rw - rootfs rootfs rw\n20 1 254:0 / / rw - ext4 /dev/vda rw')
    expect(mountedOverItself('/w', first)).toBe(' 254:0 /w /w ')
  })

  it('is unknown when the table has no root', () => {
    expect(mountedOverItself('/w', [])).toBeNull()
  })
})
