# Sourced by prepare.sh and by the launcher of the installed package.

# True for a program that is Node 22.19 or later.
is_usable_node() {
  case $("$1" --version 2>/dev/null) in
    v22.19.* | v22.[2-9][0-9].* | v2[3-9].* | v[3-9][0-9].*) return 0 ;;
    *) return 1 ;;
  esac
}
