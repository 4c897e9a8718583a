import Foundation

/// Makes completion scripts for shells from the tables of options. Pure.
enum Completions {
  private typealias Entry = OptionEntry<LoadOptions>

  private static var entries: [Entry] { LoadTable.groups.flatMap(\.entries) }

  private static func kind(_ entry: Entry) -> OptionValue.Kind? {
    switch entry.action {
    case .flag, .word: nil
    case .value(let value, _), .count(let value, _): value.kind
    }
  }

  private static func spellings(_ entry: Entry) -> [String] { entry.letters.map { "-\($0)" } + ["--\(entry.name)"] }

  /// The text without characters that would end a quotation in a shell script.
  private static func plain(_ text: String) -> String {
    text.replacing("'", with: "’").replacing("[", with: "(").replacing("]", with: ")").replacing(":", with: ";")
  }

  // MARK: bash

  static var bash: String {
    func pattern(_ isWanted: (OptionValue.Kind) -> Bool) -> String {
      entries.filter { kind($0).map(isWanted) ?? false }.flatMap(spellings).joined(separator: "|")
    }
    let words = entries.compactMap { entry -> String? in
      guard case .words(let words)? = kind(entry) else { return nil }
      return
        "    \(spellings(entry).joined(separator: "|"))) COMPREPLY=($(compgen -W '\(words.joined(separator: " "))' -- \"$cur\")); return ;;"
    }
    let subcommands = Subcommands.words.map { name, words in
      "    \(name)) COMPREPLY=($(compgen -W '\(words.joined(separator: " "))' -- \"$cur\")); return ;;"
    }
    return """
      # Completions of urlload for bash, made by 'urlload manual bash'.
      _urlload() {
        local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
        COMPREPLY=()
        case $prev in
      \(words.joined(separator: "\n"))
          \(pattern { $0 == .folder })) COMPREPLY=($(compgen -d -- "$cur")); return ;;
          \(pattern { $0 == .file })) cur=${cur#@}; COMPREPLY=($(compgen -f -- "$cur")); return ;;
          \(pattern { $0 == .text })) return ;;
      \(subcommands.joined(separator: "\n"))
        esac
        if [[ $cur == -* ]]; then
          COMPREPLY=($(compgen -W '\(entries.map { "--\($0.name)" }.joined(separator: " "))' -- "$cur"))
        elif [[ $COMP_CWORD -eq 1 ]]; then
          COMPREPLY=($(compgen -W '\(Subcommands.all.map(\.name).joined(separator: " "))' -- "$cur"))
        else
          COMPREPLY=($(compgen -f -- "$cur"))
        fi
      }
      complete -o filenames -F _urlload urlload

      """
  }

  // MARK: zsh

  static var zsh: String {
    let options = entries.flatMap { entry in
      spellings(entry).map { spelling in
        let action: String =
          switch kind(entry) {
          case nil: ""
          case .text?: ":value: "
          case .file?: ":file:_files"
          case .folder?: ":folder:_files -/"
          case .words(let words)?: ":value:(\(words.joined(separator: " ")))"
          }
        return "    '*\(spelling)[\(plain(entry.help))]\(action)'"
      }
    }
    let commands = Subcommands.all.map { "'\($0.name):\(plain($0.help))'" }
    return """
      #compdef urlload
      # Completions of urlload for zsh, made by 'urlload manual zsh'.
      _urlload() {
        local -a commands
        commands=(\(commands.joined(separator: " ")))
        if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
          _describe command commands
          return
        fi
        case $words[2] in
      \(Subcommands.words.map { "    \($0.name)) _values command \($0.words.joined(separator: " ")); return ;;" }.joined(separator: "\n"))
        esac
        _arguments -s \\
      \(options.joined(separator: " \\\n")) \\
          '*:URL:_urls'
      }
      _urlload "$@"

      """
  }

  // MARK: fish

  static var fish: String {
    var lines = ["# Completions of urlload for fish, made by 'urlload manual fish'.", "complete -c urlload -f"]
    for (name, help) in Subcommands.all { lines.append("complete -c urlload -n __fish_use_subcommand -a \(name) -d '\(plain(help))'") }
    for (name, words) in Subcommands.words {
      lines.append("complete -c urlload -n '__fish_seen_subcommand_from \(name)' -a '\(words.joined(separator: " "))'")
    }
    for entry in entries {
      let names = entry.letters.map { "-s '\($0)'" } + ["-l \(entry.name)"]
      let value: String =
        switch kind(entry) {
        case nil: ""
        case .text?: " -x"
        case .file?: " -r -F"
        case .folder?: " -x -a '(__fish_complete_directories)'"
        case .words(let words)?: " -x -a '\(words.joined(separator: " "))'"
        }
      lines.append("complete -c urlload \(names.joined(separator: " "))\(value) -d '\(plain(entry.help.shortened(80)))'")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
