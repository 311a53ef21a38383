# Synapse: a line typed as `@handle message` goes to an agent, byte for byte.
#
# The function behind Enter looks at the line. For a message it makes the first word a function that
# sends the line as it was typed, and quotes the rest where fish would take it for something else. The
# history keeps what was typed.

if status is-interactive
    set -g __synapse_program @PROGRAM@

    function __synapse_enter
        # Not what `read` reads, and not a choice in the pager.
        if not commandline --paging-mode; and test "$(status current-command)" != read
            set -l line "$(commandline)"
            if string match -q '*@*' -- $line
                __synapse_take $line
            end
        end
        if not set -q __synapse_was_enter[1]
            commandline -f execute
        end
        for part in $__synapse_was_enter
            if contains -- $part (bind --function-names)
                commandline -f $part
            else
                eval $part
            end
        end
    end

    function __synapse_take --argument-names line
        # A handle, and a message on the same line.
        set -l blank '[ \t\x{3000}]'
        set -l name '[^\s\x{3000}\x00-\x2c\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\x7f]+'
        string match -qr "(?s)^(?<blanks>$blank*)(?<word>@$name)(?<gap>$blank+)(?<rest>.*\S.*)\$" -- $line
        or return
        if type -q -- $word; or abbr --query -- $word; or test -e $word -o -L $word
            return
        end
        set -g __synapse_line $line
        set -g __synapse_word $word
        set -g __synapse_quoted
        if string match -qr '[\x00-\x1f"\'\\\\$*?#&|;<>(){}\[\]~^%!]' -- $rest
            or string match -qr '[^ \t]' -- $blanks$gap
            set rest "$(string replace -a \\ \\\\ -- $rest | string replace -a \' \\\' | string collect -N)"
            set -g __synapse_quoted "$(string match -r '^ ?' -- $blanks)$word '$rest'"
            commandline -r -- $__synapse_quoted
        end
        eval "function $word; __synapse_send; end"
    end

    function __synapse_send
        functions --erase $__synapse_word
        __synapse_keep_typed
        printf '%s\n' $__synapse_line | $__synapse_program shell-line
    end

    # The typed line takes the place of the quoted one. Without a way to add one, fish finds it in the
    # file when it looks at what other sessions have left there.
    function __synapse_keep_typed
        if test -z "$__synapse_quoted"; or string match -q ' *' -- $__synapse_quoted
            return
        end
        if set -q fish_private_mode; or set -q fish_history; and test -z "$fish_history"
            return
        end
        builtin history delete --exact --case-sensitive -- $__synapse_quoted
        if not string match -qr '^[0-3]\.' -- $version
            builtin history append -- $__synapse_line
            return
        end
        set -l name fish
        if set -q fish_history; and test "$fish_history" != default
            set name $fish_history
        end
        set -l data ~/.local/share
        test -n "$XDG_DATA_HOME"; and set data $XDG_DATA_HOME
        set -l escaped "$(string replace -a \\ \\\\ -- $__synapse_line | string collect -N)"
        set escaped (string replace -a \n '\\n' -- $escaped)
        builtin history save
        printf '%s cmd: %s\n  when: %s\n' - $escaped (date +%s) >>$data/fish/"$name"_history
        builtin history merge
    end

    # Whatever Enter did before, it does after us.
    function __synapse_note_binding
        set -l at (contains --index -- \r $argv; or contains --index -- enter $argv)
        and not contains -- __synapse_enter $argv
        and set -g __synapse_was_enter $argv[(math $at + 1)..]
    end

    set -q __synapse_was_enter; or set -g __synapse_was_enter
    set -l was (bind --user \r 2>/dev/null | string replace -r '^bind' __synapse_note_binding)
    and eval $was
    for mode in default insert
        bind -M $mode \r __synapse_enter
        bind -M $mode \n __synapse_enter
    end
    functions --erase __synapse_note_binding
end
