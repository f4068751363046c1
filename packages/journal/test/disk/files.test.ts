import { constants } from 'node:os'
import { describe, expect, it } from 'vitest'
import { storageError, troubleOf } from '../../src/disk/files.ts'

/** As Node throws it: for an errno that its own table does not have, the code says nothing. */
function nodeError(code: string, errno: number): Error {
  return Object.assign(new Error(`${code}: a failed call, write`), { code, errno, syscall: 'write' })
}

describe('a storage error', () => {
  it.each([
    ['UNKNOWN', -constants.errno.EDQUOT, 'EDQUOT', true],
    [`Unknown system error -${constants.errno.EDQUOT}`, -constants.errno.EDQUOT, 'EDQUOT', true],
    ['ENOSPC', -constants.errno.ENOSPC, 'ENOSPC', true],
    ['EACCES', -constants.errno.EACCES, 'EACCES', true],
    ['EBADF', -constants.errno.EBADF, 'EBADF', false],
    ['UNKNOWN', -constants.errno.ESTALE, 'ESTALE', true],
    ['ERR_OUT_OF_RANGE', Number.NaN, 'ERR_OUT_OF_RANGE', false],
  ])('of %s, errno %s, is %s', (code, errno, name, retryable) => {
    expect(storageError('write', '/a', nodeError(code, errno))).toMatchObject({ code: name, retryable })
  })

  it.each([
    ['ENOSPC', 'full'],
    ['EDQUOT', 'full'],
    ['EFBIG', 'full'],
    ['EIO', 'passing'],
    ['EACCES', 'passing'],
    ['EBADF', 'final'],
    ['UNKNOWN', 'final'],
  ])('%s is judged %s', (code, trouble) => {
    expect(troubleOf(code)).toBe(trouble)
  })
})
