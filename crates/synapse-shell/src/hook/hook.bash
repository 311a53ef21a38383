# Synapse: a line typed as `@handle message` goes to an agent, byte for byte.
#
# Enter is a macro: first `__synapse_enter` looks at the line, then whatever Enter was. For a message it
# makes the first word an alias that ends in `#`: to bash the rest is a comment, so it is neither
# parsed nor expanded, and yet the line stands on the screen and in the history as it was typed.

if [[ $- != *i* ]] || ! [[ -o emacs || -o vi ]]; then
    : # Nobody types here.
elif ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 404)) || [[ -n ${BLE_VERSION-} ]]; then
    echo 'synapse: the hook needs bash 4.4 or later, with its own line editor (no ble.sh)' >&2
else
    __synapse_program=@PROGRAM@

    # Only the first prompt of a command is looked at, not its further lines or what `read -e` reads.
    __synapse_prompt() {
        local status=$?
        __synapse_is_prompt=1
        return "$status"
    }

    __synapse_watch_prompts() {
        [[ "${PROMPT_COMMAND[*]-}" == *__synapse_prompt* ]] && return
        # Silent under `set -x`, and a failure that went before is no reason to end under `set -e`.
        local look='{ __synapse_prompt && :; } 2>/dev/null'
        # In front: the last place belongs to those who watch for the next command. A list of them
        # is known since 5.1; before, only the first counts.
        if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)) &&
            [[ $(declare -p PROMPT_COMMAND 2>/dev/null) == 'declare -a'* ]]; then
            PROMPT_COMMAND=("$look" ${PROMPT_COMMAND[@]+"${PROMPT_COMMAND[@]}"})
        else
            PROMPT_COMMAND=$look${PROMPT_COMMAND:+$'\n'$PROMPT_COMMAND}
        fi
        __synapse_is_prompt=1
    }

    __synapse_enter() {
        if [[ $READLINE_LINE == *([[:blank:]])@* ]]; then
            __synapse_watch_prompts
            if [[ ${__synapse_is_prompt-} == 1 ]]; then
                __synapse_take
            fi
        fi
        __synapse_is_prompt=0
    }

    __synapse_take() {
        local line=$READLINE_LINE option
        local blanks=${line%%[![:blank:]]*}
        local word=${line#"$blanks"}
        word=${word%%[[:space:]]*}
        local rest=${line#"$blanks$word"}
        # A handle, and a message on the same line.
        [[ $rest == [[:blank:]]*[![:space:]]* && $word == @?* &&
            $word != *[][[:cntrl:]\!\"\#\$%\&\'\(\)*+,/:\;\<=\>?\\^\`\{\|\}~]* ]] || return 0
        if type -t -- "$word" >/dev/null || [[ -e $word || -L $word ]]; then
            return
        fi
        __synapse_line=$line
        __synapse_shown=$line
        # A wide blank divides words for people, but not for bash, and a second line would be run.
        if [[ $blanks$word$rest != *([$' \t'])"$word"[$' \t']* || $line == *$'\n'* ]]; then
            rest=${rest%%$'\n'*}
            __synapse_shown="$word ${rest#"${rest%%[![:blank:]]*}"}"
            READLINE_LINE=$__synapse_shown READLINE_POINT=${#__synapse_shown}
        fi
        __synapse_undo="unalias -- '$word';"
        alias -- "$word=__synapse_send #"
        if [[ -o histexpand ]]; then
            __synapse_undo+='set -o histexpand;'
            set +o histexpand
        fi
        for option in expand_aliases interactive_comments; do
            if ! shopt -q "$option"; then
                __synapse_undo+="shopt -u $option;"
                shopt -s "$option"
            fi
        done
    }

    __synapse_send() {
        eval "$__synapse_undo"
        if [[ $__synapse_shown != "$__synapse_line" ]]; then
            local entry rest=${__synapse_line#*$'\n'}
            entry=$(HISTTIMEFORMAT='' builtin history 1)
            # It takes the place of the line that runs, which is the last one if it was kept at all.
            if [[ $entry == *" $__synapse_shown" ]]; then
                builtin history -s -- "$__synapse_line"
            fi
            if [[ $rest != "$__synapse_line" ]]; then
                printf '%s\n' "$rest" | LC_ALL=C command tr -d '\000-\010\013-\037\177' >&2
            fi
        fi
        "$__synapse_program" shell-line <<<"$__synapse_line"
    }

    __synapse_complete() {
        local IFS=$' \t\n' handle
        COMPREPLY=()
        if [[ $2 == @* ]]; then
            for handle in $("$__synapse_program" shell-line --handles 2>/dev/null); do
                [[ $handle == "$2"* ]] && COMPREPLY+=("$handle")
            done
        fi
        return 0
    }

    # What Enter was stays where it was: only the key in front of it is ours.
    __synapse_bind() {
        local map key line kind keys was
        for map in emacs-standard vi-insert vi-command; do
            # The line break: in the middle of a here-document bash does not take `{` for what it is.
            bind -m "$map" -x '"\e[7710~": '$'\n''{ __synapse_enter "$_"; } 2>/dev/null'
            for kind in p s X; do
                keys=$(bind -m "$map" "-$kind" 2>/dev/null)
                while IFS= read -r line; do
                    case $line in
                    '"\C-m": '* | '"\C-j": '*) ;;
                    *) continue ;;
                    esac
                    key=${line:4:1} was=${line#*: }
                    [[ $was == *'[7710~'* ]] && continue
                    if [[ $kind == X ]]; then
                        # It is printed in quotes and wanted without.
                        was=${was#\"} was=${was%\"} was=${was//\\\"/\"} was=${was//\\\\/\\}
                        bind -m "$map" -x "\"\\e[7711$key~\": $was"
                    else
                        bind -m "$map" "\"\\e[7711$key~\": $was"
                    fi
                    bind -m "$map" "\"\\C-$key\": \"\\e[7710~\\e[7711$key~\""
                done <<<"$keys"
            done
        done
        unset -f __synapse_bind
    }

    __synapse_bind
    __synapse_watch_prompts
    if ((BASH_VERSINFO[0] >= 5)) && ! complete -p -I >/dev/null 2>&1; then
        complete -I -o bashdefault -o default -F __synapse_complete
    fi
fi
