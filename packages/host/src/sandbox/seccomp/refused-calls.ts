/**
 * System calls refused with EPERM whatever their arguments. They reach into other processes or the kernel, or make
 * namespaces and mounts that could lead a command out of its sandbox.
 */
export const refusedCalls = [
  // Other processes.
  ...['ptrace', 'process_vm_readv', 'process_vm_writev', 'pidfd_getfd', 'kcmp', 'move_pages', 'migrate_pages'],
  // Its operations bypass this filter.
  'io_uring_setup',
  'io_uring_enter',
  'io_uring_register',
  // Parts of the kernel with many past vulnerabilities that builds and tests do not need.
  ...['bpf', 'perf_event_open', 'userfaultfd', 'keyctl', 'add_key', 'request_key', 'fanotify_init', 'fanotify_mark'],
  ...['lookup_dcookie', 'nfsservctl', 'uselib'],
  // Only programs of 16-bit systems need it.
  'modify_ldt',
  // Namespaces and mounts.
  ...['mount', 'umount2', 'move_mount', 'open_tree', 'fsopen', 'fsconfig', 'fsmount', 'fspick', 'mount_setattr'],
  ...['pivot_root', 'chroot', 'unshare', 'setns'],
  // Files by number instead of by path.
  'name_to_handle_at',
  'open_by_handle_at',
  // The machine itself.
  ...['syslog', '_sysctl', 'create_module', 'get_kernel_syms', 'query_module', 'init_module', 'finit_module'],
  ...['delete_module', 'kexec_load', 'kexec_file_load', 'reboot', 'swapon', 'swapoff', 'acct', 'quotactl'],
  ...['quotactl_fd', 'vhangup', 'iopl', 'ioperm', 'sethostname', 'setdomainname', 'settimeofday', 'clock_settime'],
  ...['clock_adjtime', 'adjtimex'],
] as const

/** Calls that change metadata of files. Refused where nothing else protects files outside of the limits. */
export const attributeCalls = [
  ...['chmod', 'fchmod', 'fchmodat', 'fchmodat2', 'chown', 'lchown', 'fchown', 'fchownat', 'setxattr', 'lsetxattr'],
  ...['fsetxattr', 'setxattrat', 'removexattr', 'lremovexattr', 'fremovexattr', 'removexattrat'],
] as const

/**
 * Calls on shared memory, semaphores, queues and scheduling of all programs of the user. Refused where no namespace
 * separates the command's own.
 */
export const sharedCalls = [
  ...['shmget', 'shmat', 'shmctl', 'semget', 'semop', 'semtimedop', 'semctl', 'msgget', 'msgsnd', 'msgrcv', 'msgctl'],
  ...['mq_open', 'mq_unlink', 'setpriority', 'ioprio_set', 'sched_setparam', 'sched_setscheduler', 'sched_setattr'],
] as const

/** Calls that are allowed depending on their arguments. */
type JudgedCall = 'clone' | 'clone3' | 'socket' | 'socketpair' | 'ioctl' | 'personality' | 'prlimit64' | ModeCall

/** Calls that set the permissions of a file. */
export type ModeCall = 'fchmod' | 'fchmodat' | 'fchmodat2' | 'mknodat' | 'openat' | 'openat2' | OldModeCall
type OldModeCall = 'chmod' | 'creat' | 'mknod' | 'open'

type RefusedCall = (typeof refusedCalls | typeof attributeCalls | typeof sharedCalls)[number]

export type CallName = RefusedCall | JudgedCall

/** Calls that only x86-64 has. */
export type X64Only =
  | '_sysctl'
  | 'uselib'
  | 'modify_ldt'
  | 'create_module'
  | 'get_kernel_syms'
  | 'query_module'
  | 'iopl'
  | 'ioperm'
  | 'chown'
  | 'lchown'
  | OldModeCall
