/**
 * The completion script for bash, from 3.2. The script of `@bomb.sh/tab` 0.0.22, which has those of the other shells, fails
 * without bash-completion, fails when it is sourced twice, executes commands inside typed words and names, and does not
 * complete after `=` and `:`, where bash starts another word.
 */
export const bashScript = String.raw`# bash completion for addon-cli

_addon_cli() {
  local line=\${COMP_LINE:0:COMP_POINT} words=() word blank i
  # Bash splits words at "=" and ":". What no blank separates is one word for addon-cli.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    blank=\${line%%[![:space:]]*}
    line=\${line#"$blank"}
    word=\${COMP_WORDS[i]}
    if ((i == COMP_CWORD)); then word=$line; fi
    line=\${line#"$word"}
    if ((i > 0)) && [[ -z $blank ]]; then
      words[\${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
  done

  # Behind "=" bash replaces the value alone.
  local current=\${words[\${#words[@]}-1]} option="" before=""
  if [[ $current == -*=* ]]; then option=\${current%%=*}=; fi
  if [[ $COMP_WORDBREAKS == *=* && $current == *=* ]]; then before=\${current%"\${current##*=}"}; fi

  local answer directive=0
  COMPREPLY=()
  while IFS= read -r answer; do
    if [[ $answer == :* ]]; then
      directive=\${answer#:}
    else
      answer=$option\${answer%%$'\t'*}
      COMPREPLY+=("\${answer#"$before"}")
    fi
  done < <(addon-cli complete -- "\${words[@]:1}" 2>/dev/null </dev/null)

  # Without compopt, before bash 4, a space is added and files are offered where nothing else is.
  if ((directive & 2)); then compopt -o nospace 2>/dev/null; fi
  if ((directive & 4)); then compopt +o default 2>/dev/null; fi
  if ((directive & 16)); then compopt +o default -o dirnames 2>/dev/null; fi
}

complete -o default -F _addon_cli addon-cli`.replaceAll("\\$", "$");
