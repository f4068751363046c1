import { type Guard, guardText } from '@parley/host'
import { isSecret, liesWithin, type SecretPaths } from '@parley/workspace'
import { fileFailure } from '../files/file-failure.ts'

/** What a client's wish lets `fs/*` do; both ask for real paths and throw what a confined process would be told. */
export interface FileLimits {
  assertReadable(real: string): void
  assertWritable(real: string): Promise<void>
}

export interface FileBounds {
  /** Real paths; none where nothing may be written. */
  readonly roots: readonly string[]
  readonly masked: SecretPaths
  /** Looks at the files as they are; asked once, before the first write. */
  readonly guard: () => Promise<Guard>
}

export function fileLimits({ roots, masked, guard }: FileBounds): FileLimits {
  let known: Promise<Guard> | null = null
  const assertReadable = (real: string) => {
    if (isSecret(real, masked)) throw fileFailure('EACCES', real, 'the sandbox does not let it be read')
  }
  return {
    assertReadable,
    async assertWritable(real) {
      assertReadable(real)
      if (!roots.some((root) => liesWithin(real, root)))
        throw fileFailure('EROFS', real, 'it lies outside of what the sandbox lets be written')
      known ??= guard()
      const kind = (await known)(real)
      if (kind !== null)
        throw fileFailure('EROFS', real, `it is kept as it is in a sandbox, since it ${guardText(kind)}`)
    },
  }
}
