import { systemErrorCode } from '../paths/system-error.ts'

/** Codes by which file systems and kernels refuse hard links. */
const linkRefusals = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV', 'EACCES'])

export function refusesLinks(error: unknown): boolean {
  return linkRefusals.has(systemErrorCode(error) ?? '')
}
