#pragma once
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

// Reads --name=value and files of such lines.
class Options {
  std::map<std::string, std::string, std::less<>> values_;
  void line(std::string_view text)
  {
    while (text.substr(0, 1) == "-")
      text.remove_prefix(1);
    auto at = text.find('=');
    values_[std::string(text.substr(0, at))] = at == text.npos ? "1" : std::string(text.substr(at + 1));
  }

public:
  Options(int argc, const char *const *argv) { for (int i = 1; i < argc; i++) line(argv[i]); }
  explicit Options(std::ifstream &in) { for (std::string text; std::getline(in, text);) line(text); }
  template <class T> T get(std::string_view name, T otherwise) const
  {
    auto it = values_.find(name);
    if (it == values_.end()) return otherwise;
    std::istringstream in(it->second);
    in >> otherwise;
    return otherwise;
  }
};
template <> inline std::string Options::get(std::string_view name, std::string otherwise) const { auto it = values_.find(name); return it == values_.end() ? otherwise : it->second; }
