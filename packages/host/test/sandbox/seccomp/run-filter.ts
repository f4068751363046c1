/** Interprets a filter as the kernel does: classic BPF over `struct seccomp_data`. */
export type Verdict = 'allow' | 'EPERM' | 'ENOSYS' | 'kill'

export interface Call {
  /** AUDIT_ARCH_… of the kernel. */
  readonly arch: number
  readonly number: number
  readonly args?: readonly (number | bigint)[]
}

const verdicts: ReadonlyMap<number, Verdict> = new Map([
  [0x7fff0000, 'allow'],
  [0x00050001, 'EPERM'],
  [0x00050026, 'ENOSYS'],
  [0x80000000, 'kill'],
])

export function runFilter(program: Buffer, call: Call): Verdict {
  const data = dataOf(call)
  let accumulator = 0
  for (let at = 0; at < program.length; at += 8) {
    const [code, yes, no, k] = [
      program.readUInt16LE(at),
      program.readUInt8(at + 2),
      program.readUInt8(at + 3),
      program.readUInt32LE(at + 4),
    ]
    const jump = (condition: boolean) => {
      at += 8 * (condition ? yes : no)
    }
    if (code === 0x20) accumulator = data.readUInt32LE(k)
    else if (code === 0x54) accumulator = (accumulator & k) >>> 0
    else if (code === 0x15) jump(accumulator === k)
    else if (code === 0x25) jump(accumulator > k)
    else if (code === 0x45) jump((accumulator & k) !== 0)
    else if (code === 0x06) return verdictOf(k)
    else throw new Error(`Instruction ${code} at ${at}`)
  }
  throw new Error('It ran past its end')
}

function verdictOf(action: number): Verdict {
  const verdict = verdicts.get(action)
  if (verdict === undefined) throw new Error(`Action ${action.toString(16)}`)
  return verdict
}

function dataOf({ arch, number, args = [] }: Call): Buffer {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(number >>> 0, 0)
  data.writeUInt32LE(arch, 4)
  for (const [index, arg] of args.entries()) data.writeBigUInt64LE(BigInt.asUintN(64, BigInt(arg)), 16 + 8 * index)
  return data
}
