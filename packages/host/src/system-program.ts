/** Where our own small tools (`mkfifo`, `grep`) come from: never from the user's PATH, which a project can lead into itself. */
export const helperPath = '/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin'
