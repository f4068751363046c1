/** Instructions of the kernel's classic BPF that a filter of system calls needs (linux/bpf_common.h). */
const opcodes = {
  /** Loads the 32-bit word at offset `k` of `struct seccomp_data`. */
  load: 0x20,
  and: 0x54,
  jumpIfEqual: 0x15,
  jumpIfGreater: 0x25,
  /** Jumps if any bit of `k` is set. */
  jumpIfSet: 0x45,
  return: 0x06,
} as const

/** Instruction with labels as targets of its jumps; a jump without a label goes to the next line. */
export interface BpfInstruction<Label extends string> {
  readonly label?: Label
  readonly op: keyof typeof opcodes
  readonly k: number
  readonly yes?: Label
  readonly no?: Label
}

const instructionBytes = 8

/** Returns an array of `struct sock_filter`, little-endian as both processors are. Throws for a jump backwards. */
export function assemble<Label extends string>(lines: readonly BpfInstruction<Label>[]): Buffer {
  const places = new Map<Label, number>()
  for (const [index, { label }] of lines.entries()) if (label !== undefined) places.set(label, index)
  const program = Buffer.alloc(lines.length * instructionBytes)
  for (const [index, line] of lines.entries()) {
    const at = index * instructionBytes
    program.writeUInt16LE(opcodes[line.op], at)
    program.writeUInt8(distance(line.yes), at + 2)
    program.writeUInt8(distance(line.no), at + 3)
    program.writeUInt32LE(line.k, at + 4)

    function distance(label: Label | undefined): number {
      if (label === undefined) return 0
      const place = places.get(label)
      if (place === undefined || place <= index) throw new Error(`No line after ${index} is labelled ${label}`)
      return place - index - 1
    }
  }
  return program
}
